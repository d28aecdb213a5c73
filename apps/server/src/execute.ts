import { AppError, type FieldError, StartupError } from '@svc/kernel'
import { parseArguments, UsageError } from './arguments.ts'
import { findCommand, helpFor } from './command-line.ts'
import type { Terminal } from './commands/command.ts'

/** Carries out one command line and answers the exit code. */
export async function execute(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (args.includes('--help') || args.includes('-h')) {
      terminal.out(helpFor(args))
      return 0
    }
    const { command, rest } = findCommand(args)
    return await command.run(parseArguments(rest, command.options), terminal)
  } catch (error) {
    terminal.err(`svc: ${oneLine(readable(error))}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/** What failed is told in one line, whatever the message of a plugin or a library looks like. */
const oneLine = (text: string): string => text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')

/** One fault of an input, by the name of what it is about. */
const faultOf = ({ field, message = '' }: Partial<FieldError>): string =>
  field === undefined ? message : `${field}: ${message}`

function readable(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}. Try svc --help`
  if (error instanceof StartupError) return error.message
  if (error instanceof AppError)
    return [error.message, ...(error.detail.errors ?? []).map(faultOf)].join('; ')
  return `unexpected: ${error instanceof Error ? error.message : String(error)}. This is a fault of the program: report it`
}
