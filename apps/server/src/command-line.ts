import { existsSync } from 'node:fs'
import { nearest } from '@svc/kernel'
import { type Option, UsageError } from './arguments.ts'
import { adminCreate } from './commands/admin-create.ts'
import { adminResetPassword } from './commands/admin-reset-password.ts'
import { apply } from './commands/apply.ts'
import type { Command } from './commands/command.ts'
import { diff } from './commands/diff.ts'
import { init } from './commands/init.ts'
import { keysGenerate } from './commands/keys-generate.ts'
import { keysStatus } from './commands/keys-status.ts'
import { privacyScrub } from './commands/privacy-scrub.ts'
import { schema } from './commands/schema.ts'
import { seed } from './commands/seed.ts'
import { serve } from './commands/serve.ts'
import { types } from './commands/types.ts'
import { validate } from './commands/validate.ts'

/** Everything that the program does, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serve,
  init,
  apply,
  validate,
  diff,
  types,
  schema,
  adminCreate,
  adminResetPassword,
  keysGenerate,
  keysStatus,
  privacyScrub,
  seed,
]

const NAMED = COMMANDS.filter(({ words }) => words.length > 0)

/** Finds the command that the arguments begin with, and what is left for it. Throws a UsageError. */
export function findCommand(args: readonly string[]): { command: Command; rest: readonly string[] } {
  const found = commandIn(args)
  if (found) return { command: found, rest: args.slice(found.words.length) }
  const begun = NAMED.filter(({ words }) => words[0] === args[0]).map(({ words }) => `'${words[1]}'`)
  if (begun.length > 0)
    throw new UsageError(`'${args[0]}' takes ${begun.join(' or ')}, not '${args[1] ?? ''}'`)
  const [word] = args
  if (word !== undefined && looksLikeCommand(word)) throw unknownCommand(word)
  return { command: serve, rest: args }
}

const commandIn = (args: readonly string[]): Command | undefined =>
  NAMED.find(({ words }) => words.every((word, at) => args[at] === word))

/** A bare word that is no file was hardly meant to be a configuration. */
const looksLikeCommand = (word: string): boolean => /^[a-z][a-z-]*$/i.test(word) && !existsSync(word)

function unknownCommand(word: string): UsageError {
  const names = [...new Set(NAMED.map(({ words }) => words[0]!))]
  const meant = nearest(word, names)
  const hint = meant === undefined ? `the commands are ${names.join(', ')}` : `did you mean '${meant}'?`
  return new UsageError(`there is no command and no file '${word}' (${hint})`)
}

/** What `--help` prints: of the command that the arguments begin with, or of all. */
export function helpFor(args: readonly string[]): string {
  const command = commandIn(args)
  return command === undefined ? help() : helpOf(command)
}

const help = (): string => `svc: one definition becomes a running backend

Usage
${COMMANDS.flatMap(usageOf).join('\n')}
  svc <command> --help
  svc --help | --version

Options of the server
${optionLines(serve)}

Exit codes: 0 done, 1 failed, 2 wrong usage
`

const helpOf = (command: Command): string => `${command.summary}

Usage
${linesOf(command).join('\n')}

Options
${optionLines(command)}

${command.about}
`

/** Column at which the summaries begin. */
const SUMMARY_AT = 46
const ABOUT_AT = 28

const linesOf = ({ words, usage }: Command): readonly string[] =>
  usage.map((rest) => `  ${['svc', ...words, rest].join(' ').trimEnd()}`)

function usageOf(command: Command): readonly string[] {
  const lines = linesOf(command)
  const last = lines.at(-1)!
  const { summary } = command
  const wide = last.length >= SUMMARY_AT - 1
  return [
    ...lines.slice(0, -1),
    ...(wide ? [last, `${' '.repeat(SUMMARY_AT)}${summary}`] : [`${last.padEnd(SUMMARY_AT)}${summary}`]),
  ]
}

const optionLines = ({ options }: Command): string =>
  Object.entries<Option>({ ...options, help: { about: 'Print this' } })
    .map(([name, { takes, about }]) => {
      const shown = `  --${name}${takes === undefined ? '' : ` ${takes}`}`
      return `${shown.padEnd(ABOUT_AT)}${shown.length >= ABOUT_AT - 1 ? `\n${' '.repeat(ABOUT_AT)}` : ''}${about}`
    })
    .join('\n')
