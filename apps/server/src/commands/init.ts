import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { languageSchema } from '@svc/domain/contract'
import { StartupError } from '@svc/kernel'
import { UsageError } from '../arguments.ts'
import { builtInLanguage } from '../language.ts'
import { programCall, quoted, shortPath } from '../program.ts'
import type { Command } from './command.ts'
import { type ProjectFile, projectFiles } from './project.ts'

/** Makes a folder that a server can be started from. */
export const init: Command = {
  words: ['init'],
  usage: ['[<name>]'],
  summary: 'make a folder to begin with',
  about: `Makes a configuration, a small definition, the schema by which editors check it, a secret that nobody else may read, and a
\`.gitignore\`, in the folder of that name or in this one, and prints the command that starts it. Nothing that is there is overwritten.`,
  options: {},
  async run({ words }, terminal) {
    const [name, second] = words
    if (second !== undefined) throw new UsageError(`one name is enough; '${second}' is one too many`)
    const folder = resolve(name ?? '.')
    const { extensions, types } = await builtInLanguage()
    const schema = `${JSON.stringify(languageSchema(extensions, types.names), null, 2)}\n`
    const files = projectFiles(basename(folder), schema)
    refuseTaken(folder, files)
    write(folder, files)
    const config = quoted(shortPath(join(folder, 'svc.json')))
    terminal.out(`${folder} holds ${files.map((file) => file.name).join(', ')}

Start it        ${programCall()} --config ${config} --first-admin
Change it       edit domain.yaml: the running server applies what you save
In production   set SVC_ENVIRONMENT=production, and SVC_JWT_SECRET to a secret of its own
`)
    return 0
  },
}

function refuseTaken(folder: string, files: readonly ProjectFile[]): void {
  const taken = files.map(({ name }) => name).filter((name) => existsSync(join(folder, name)))
  if (taken.length === 0) return
  throw new StartupError(
    'init',
    `${folder} has ${taken.join(', ')} already`,
    'Name another folder, or move them away',
  )
}

function write(folder: string, files: readonly ProjectFile[]): void {
  try {
    mkdirSync(folder, { recursive: true })
    for (const { name, text, mode } of files) writeFileSync(join(folder, name), text, { flag: 'wx', mode })
  } catch (error) {
    const { message } = error as Error
    throw new StartupError(
      'init',
      `${folder} cannot be written (${message})`,
      'Name a folder that you may write',
    )
  }
}
