import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '@svc/kernel'
import { LIMITS } from './limits.ts'

/** A script as it stands in its file. */
export interface ScriptFile {
  readonly file: string
  readonly source: string
}

/** Reads the scripts of a folder in the order of their names. Throws a StartupError. */
export async function readScripts(dir: string): Promise<readonly ScriptFile[]> {
  const names = (await namesIn(dir))
    .filter((name) => name.endsWith('.js') && !name.startsWith('.'))
    .toSorted()
  const read = await Promise.all(names.map((file) => readScript(dir, file)))
  const scripts = read.filter((script) => script !== undefined)
  if (scripts.length > LIMITS.scripts)
    throw fault(`${dir} holds ${scripts.length} scripts, and ${LIMITS.scripts} are the most`)
  return scripts
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    throw fault(`the folder ${dir} cannot be read (${(error as Error).message})`, "Correct 'scripting.dir'")
  }
}

/** A file that has gone since it was listed is no script, and neither is a folder. */
async function readScript(dir: string, file: string): Promise<ScriptFile | undefined> {
  const path = join(dir, file)
  try {
    const { size, isFile } = await stat(path).then((found) => ({ size: found.size, isFile: found.isFile() }))
    if (!isFile) return undefined
    if (size > LIMITS.source) throw fault(`${file} has more than ${LIMITS.source} bytes`)
    return { file, source: await readFile(path, 'utf8') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (error instanceof StartupError) throw error
    throw fault(`${file} cannot be read (${(error as Error).message})`)
  }
}

const fault = (reason: string, hint?: string) => new StartupError('scripting', reason, hint)
