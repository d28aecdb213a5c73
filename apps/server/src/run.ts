import { AppError, StartupError } from '@svc/kernel'
import { parseArguments, UsageError } from './arguments.ts'
import { findCommand, helpFor } from './command-line.ts'
import type { Terminal } from './commands/command.ts'
import { RELEASE } from './release.ts'

/** The terminal that the process was started from. */
export const TERMINAL: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}

/** Runs one command line and answers the exit code. */
export async function run(args: readonly string[], terminal: Terminal = TERMINAL): Promise<number> {
  try {
    if (args.includes('--help') || args.includes('-h')) return print(helpFor(args), terminal)
    if (args.includes('--version')) return print(`${RELEASE.version}\n`, terminal)
    const { command, rest } = findCommand(args)
    return await command.run(parseArguments(rest, command.options), terminal)
  } catch (error) {
    terminal.err(`svc: ${oneLine(readable(error))}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

function print(text: string, terminal: Terminal): number {
  terminal.out(text)
  return 0
}

/** What failed is told in one line, whatever the message of a plugin or a library looks like. */
const oneLine = (text: string): string => text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')

function readable(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}. Try svc --help`
  if (error instanceof StartupError || error instanceof AppError) return error.message
  return `unexpected: ${error instanceof Error ? error.message : String(error)}`
}
