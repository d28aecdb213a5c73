import { resolve } from 'node:path'
import type { Comparison } from '@svc/domain/contract'
import { type Answer, askServer } from '@svc/management/contract'
import { type Arguments, UsageError } from '../arguments.ts'
import { type Configuration, readConfiguration, USUAL_CONFIG } from '../configuration.ts'
import type { Command, Terminal } from './command.ts'
import { comparisonText } from './comparison-text.ts'
import { RUNNING_CONFIG, socketOf } from './server-socket.ts'

/** Puts definition files in force on the server that runs, by its management socket. */
export const apply: Command = {
  words: ['apply'],
  usage: ['[<definition> …] [--config <config.json>] [--preview] [--allow-destructive]'],
  summary: 'put definition files in force on the running server',
  about: `Asks the server by its management socket, which its configuration places; without a definition the files of 'domain.domain_file' are
applied. The server reads the files itself, includes and variables as at its start. A refusal names every fault with its line, ends
with 1, and leaves in force what was. What is applied stands at the next start too, from whichever file, until a file of
'domain.domain_file' has changed since it was applied itself.`,
  options: {
    config: RUNNING_CONFIG,
    preview: { about: 'Tell what would change, and change nothing' },
    'allow-destructive': { about: 'Accept that stored data is lost' },
  },
  async run(args, terminal) {
    const configuration = readConfiguration(args.options.get('config') ?? USUAL_CONFIG, process.env)
    const path = socketOf(configuration)
    let code = 0
    for (const file of filesOf(args, configuration)) {
      const answer = await askServer(path, messageOf(file, args))
      if (!tell(answer, file, args, terminal)) code = 1
    }
    return code
  },
}

function filesOf({ words }: Arguments, { sections, folder, path }: Configuration): readonly string[] {
  if (words.length > 0) return words.map((word) => resolve(word))
  const configured: unknown = Object(sections['domain'])['domain_file']
  const files = [configured ?? []].flat().filter((file) => typeof file === 'string')
  if (files.length === 0)
    throw new UsageError(`a definition is needed: ${path} names none in 'domain.domain_file'`)
  return files.map((file) => resolve(folder, file))
}

const messageOf = (file: string, { flags }: Arguments): object =>
  flags.has('preview')
    ? { cmd: 'preview', file }
    : { cmd: 'apply', file, allow_destructive: flags.has('allow-destructive') }

/** Prints an answer; false for a refusal. */
function tell(answer: Answer, file: string, { flags }: Arguments, terminal: Terminal): boolean {
  if (!answer.ok) {
    for (const line of refusalLines(answer, file)) terminal.err(`${line}\n`)
    return false
  }
  const { warnings, ...data } = answer.data as { readonly warnings: readonly string[] }
  for (const warning of warnings) terminal.err(`${file}: warning: ${warning}\n`)
  terminal.out(flags.has('preview') ? comparisonText(data as Comparison) : appliedText(data as Applied))
  return true
}

interface Applied {
  readonly domain: string
  readonly version: string
  readonly unchanged: boolean
  readonly ddl_count: number
}

const appliedText = ({ domain, version, unchanged, ddl_count: count }: Applied): string =>
  unchanged
    ? `${domain} ${version} was applied already\n`
    : `${domain} ${version} is in force: ${count} schema ${count === 1 ? 'statement' : 'statements'}\n`

interface Fault {
  readonly path?: string
  readonly line?: number | null
  readonly column?: number
  readonly file?: string
  readonly message: string
}

function refusalLines({ error, errors = [], data }: Answer & { ok: false }, file: string): readonly string[] {
  const faults = errors as readonly Fault[]
  if (faults.length > 0) return faults.map((fault) => faultLine(fault, file))
  const losses = Array.isArray(data)
    ? data.map((one) => `  ${typeof one === 'string' ? one : JSON.stringify(one)}`)
    : []
  const hint = losses.length > 0 ? ['Run again with --allow-destructive to accept that'] : []
  return [`${file}: ${error}`, ...losses, ...hint]
}

/** As compilers write it: `file:line:column: path: message`. */
function faultLine({ path, line, column, file: named, message }: Fault, root: string): string {
  const at = [named === undefined ? root : resolve(root, '..', named), line, column].filter(
    (one) => one !== undefined && one !== null,
  )
  return `${at.join(':')}: ${path ? `${path}: ` : ''}${message}`
}
