import type { AppError, Warning } from '@svc/kernel'
import { type DefinitionError, pathText, type Problem } from '../definition/problem.ts'
import { domainErrors } from '../errors.ts'
import type { ReadModel } from './read-model.ts'

/** What the caller is told of a definition that cannot be used: all faults, in the order of the text, and the warnings. */
export function parseError({ problems, warnings }: DefinitionError): AppError {
  const [first] = problems
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  const message = first ? `The definition cannot be used: ${sentenceOf(first)}${others}` : undefined
  return domainErrors.PARSE_ERROR({
    ...(message !== undefined && { message }),
    errors: problems.map(entryOf),
    ...(warnings.length > 0 && { data: { warnings: warnings.map(entryOf) } }),
  })
}

/** `domain.resources.Post.object.title: …`, with the line where it is known. */
export function sentenceOf({ path, message, hint, position }: Problem): string {
  const at = position ? `line ${position.line}, ` : ''
  const where = path.length > 0 ? `${pathText(path)}: ` : ''
  return `${at}${where}${message}${hint ? ` (${hint})` : ''}`
}

/** What did not keep a definition from being used. */
export const warningsOf = ({ unknown, idle }: Pick<ReadModel, 'unknown' | 'idle'>): readonly Warning[] => [
  ...unknown.map((one) => warning('unknown_key', one)),
  ...idle.map((one) => warning('no_effect', one)),
]

const warning = (rule: string, one: Problem): Warning => ({
  rule,
  message: sentenceOf(one),
  severity: 'warning',
  regulation: null,
})

const entryOf = ({ path, message, hint, position }: Problem) => ({
  path: pathText(path),
  line: position?.line ?? null,
  ...(position && { column: position.column }),
  ...(position?.file !== undefined && { file: position.file }),
  message: hint ? `${message} (${hint})` : message,
})
