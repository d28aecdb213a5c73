import { brand } from '@svc/kernel'

/** Where something stands in the text: lines and columns count from 1. */
export interface Position {
  /** The file, as its author would name it; undefined for a text that was submitted. */
  readonly file: string | undefined
  readonly line: number
  readonly column: number
}

/** A step into a document: a key of a map or an index of a list. */
export type Path = readonly (string | number)[]

/** Something wrong with a definition, or worth a warning. */
export interface Problem {
  readonly path: Path
  readonly message: string
  /** What would be right. */
  readonly hint?: string
  readonly position?: Position
}

/** Messages quote the text that they are about, which may be as long as a whole definition. */
const MAX_MESSAGE = 500
const MAX_STEP = 63

/** A path as people read it: `domain.resources.Post.object`. */
export const pathText = (path: Path): string =>
  path
    .map(String)
    .map((step) => (step.length > MAX_STEP ? `${step.slice(0, MAX_STEP - 1)}…` : step))
    .join('.')

/** Builds a problem, leaving out what is not known. */
export const problem = (path: Path, message: string, position?: Position, hint?: string): Problem => ({
  path,
  message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message,
  ...(hint === undefined ? {} : { hint }),
  ...(position === undefined ? {} : { position }),
})

/** Every problem of one definition, thrown together, with the warnings that were found on the way. */
export class DefinitionError extends Error {
  static {
    brand(this, 'DefinitionError')
  }

  override readonly name = 'DefinitionError'
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]

  constructor(problems: readonly Problem[], warnings: readonly Problem[] = []) {
    super(problems.map(describe).join('; '))
    this.problems = problems
    this.warnings = warnings
  }
}

/**
 * The problems in the order of the text, those without a position last. A fault in a part that is used in
 * several places counts once.
 */
export function inTextOrder(problems: readonly Problem[]): readonly Problem[] {
  const once = new Map<string, Problem>()
  for (const one of problems) {
    const key = JSON.stringify([one.position, one.path.at(-1), one.message])
    if (!once.has(key)) once.set(key, one)
  }
  return [...once.values()].toSorted((a, b) => compare(a.position, b.position))
}

const describe = ({ path, message, hint }: Problem): string =>
  [path.length > 0 ? `${pathText(path)}: ${message}` : message, ...(hint ? [hint] : [])].join('. ')

function compare(a: Position | undefined, b: Position | undefined): number {
  if (!a || !b) return Number(!a) - Number(!b)
  if (a.file !== b.file) return (a.file ?? '') < (b.file ?? '') ? -1 : 1
  return a.line - b.line || a.column - b.column
}
