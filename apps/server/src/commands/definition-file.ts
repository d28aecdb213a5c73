import { dirname, isAbsolute, join } from 'node:path'
import { DefinitionError, type Language, type Problem, type ReadModel, readModel } from '@svc/domain/contract'
import { type Arguments, only } from '../arguments.ts'
import { type Reader, readerFor } from '../language.ts'
import type { Terminal } from './command.ts'

/** The definition file that the arguments name. Throws a UsageError. */
export const definitionFile = ({ words }: Arguments): string => only(words, 'definition file')

/** Reads a definition file as the server would at its start. Throws a DefinitionError. */
export const readDefinition = (file: string, { language, variables }: Reader): Promise<ReadModel> =>
  readModel({ file }, language, variables)

/** Runs a command that needs a definition; what is wrong with that is told, and the command fails. */
export async function withDefinition(
  args: Arguments,
  terminal: Terminal,
  work: (read: ReadModel, language: Language) => Promise<number> | number,
): Promise<number> {
  const file = definitionFile(args)
  const reader = await readerFor(args)
  try {
    return await work(await readDefinition(file, reader), reader.language)
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    for (const problem of error.problems) terminal.err(`${lineOf(problem, file)}\n`)
    return 1
  }
}

/** A problem on one line: `file:line:column: path: message (hint)`. */
export function lineOf(problem: Problem, file: string): string {
  const { path, message, hint } = problem
  const { line, column } = problem.position ?? {}
  const at = [fileOf(problem, file), line, column].filter((part) => part !== undefined).join(':')
  const where = path.length > 0 ? `${path.join('.')}: ` : ''
  return `${at}: ${where}${message}${hint === undefined ? '' : ` (${hint})`}`
}

/** The file that a problem stands in, as seen from where the command runs. */
export function fileOf({ position }: Problem, root: string): string {
  const named = position?.file
  if (named === undefined) return root
  return isAbsolute(named) ? named : join(dirname(root), named)
}
