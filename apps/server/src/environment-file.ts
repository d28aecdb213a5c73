import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { StartupError } from '@svc/kernel'

/** The variables of the file `.env` in `folder`, where there is one. Throws a StartupError where it cannot be read. */
export function readEnvironmentFile(folder: string): NodeJS.ProcessEnv {
  const path = join(folder, '.env')
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    throw new StartupError(
      'configuration',
      `${path} cannot be read (${message})`,
      'Correct it, or move it away',
    )
  }
}
