import { UsageError } from './arguments.ts'
import { adminCreate } from './commands/admin-create.ts'
import { adminResetPassword } from './commands/admin-reset-password.ts'
import type { Command } from './commands/command.ts'
import { diff } from './commands/diff.ts'
import { schema } from './commands/schema.ts'
import { seed } from './commands/seed.ts'
import { serve } from './commands/serve.ts'
import { types } from './commands/types.ts'
import { validate } from './commands/validate.ts'

/** Everything that the program does, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serve,
  adminCreate,
  adminResetPassword,
  seed,
  validate,
  diff,
  types,
  schema,
]

/** Finds the command that the arguments begin with, and what is left for it. Throws a UsageError. */
export function findCommand(args: readonly string[]): { command: Command; rest: readonly string[] } {
  const named = COMMANDS.filter(({ words }) => words.length > 0)
  const found = named.find(({ words }) => words.every((word, at) => args[at] === word))
  if (found) return { command: found, rest: args.slice(found.words.length) }
  const begun = named.filter(({ words }) => words[0] === args[0]).map(({ words }) => `'${words[1]}'`)
  if (begun.length > 0)
    throw new UsageError(`'${args[0]}' takes ${begun.join(' or ')}, not '${args[1] ?? ''}'`)
  return { command: serve, rest: args }
}

/** What `--help` prints. */
export const help = (): string => `svc: one definition becomes a running backend

Usage
${COMMANDS.flatMap(usageOf).join('\n')}
  svc --help | --version

Exit codes: 0 done, 1 failed, 2 wrong usage
`

/** Column at which the summaries begin. */
const SUMMARY_AT = 46

function usageOf({ words, usage, summary }: Command): readonly string[] {
  const lines = usage.map((rest) => `  ${['svc', ...words, rest].join(' ')}`)
  const last = lines.at(-1)!
  const wide = last.length >= SUMMARY_AT - 1
  return [
    ...lines.slice(0, -1),
    ...(wide ? [last, `${' '.repeat(SUMMARY_AT)}${summary}`] : [`${last.padEnd(SUMMARY_AT)}${summary}`]),
  ]
}
