import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'

/** What everybody may do who is neither the owner of a file nor of its group. */
const OTHERS = 0o007
/** The files of a database; those beside it get its rights when SQLite makes them. */
const SUFFIXES = ['', '-wal', '-shm']

/**
 * Makes the file of a database for its owner alone, or closes one that is there to strangers: what the group may do is
 * left as it was given. A file that is there is not opened, for to close it would end the locks that this process has
 * on it. What cannot be done is left to SQLite, which says why it cannot open the file.
 */
export function keepPrivate(path: string): void {
  try {
    if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
    for (const file of SUFFIXES.map((suffix) => path + suffix)) if (existsSync(file)) shut(file)
  } catch {
    // Of another owner, perhaps, who decides.
  }
}

function shut(file: string): void {
  const { mode } = statSync(file)
  if ((mode & OTHERS) !== 0) chmodSync(file, mode & 0o777 & ~OTHERS)
}
