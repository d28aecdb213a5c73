import { existsSync, mkdirSync, renameSync, statSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { destination } from 'pino'

/** What is kept of lines that cannot be written, for when they can be. */
const KEPT_BYTES = 1024 * 1024

/** Lines tell who did what, from where. */
const OWNER_ALONE = 0o600

/** A place that takes finished lines. */
export interface Sink {
  write(line: string): void
  close(): void
}

/**
 * A file that is renamed to `path.1` once it would grow past `maxBytes`; the present lines are always in
 * `path`, and `maxFiles` files are kept in all. A line is never split, and none is lost by a rotation.
 */
export function rotatingFile(path: string, maxBytes: number, maxFiles: number): Sink {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Written at once: whatever ends the process, its last line says why.
  const file = destination({ dest: path, sync: true, append: true, mode: OWNER_ALONE, maxLength: KEPT_BYTES })
  file.on('error', ({ message }) => process.stderr.write(`svc: the log cannot be written: ${message}\n`))
  let size = statSync(path).size

  const rotate = () => {
    for (let number = maxFiles - 1; number >= 1; number--) {
      const older = number === 1 ? path : `${path}.${number - 1}`
      if (existsSync(older)) renameSync(older, `${path}.${number}`)
    }
    if (maxFiles === 1) truncateSync(path)
    else file.reopen()
    size = 0
  }

  return {
    write(line) {
      const bytes = Buffer.byteLength(line)
      if (size > 0 && size + bytes > maxBytes) rotate()
      file.write(line)
      size += bytes
    },
    close: () => file.end(),
  }
}
