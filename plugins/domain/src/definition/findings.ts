import { MAX_PROBLEMS } from './limits.ts'
import { DefinitionError, inTextOrder, type Path, type Position, type Problem, problem } from './problem.ts'

/** What the stages of reading a definition find, gathered so that all of it is reported together. */
export class Findings {
  readonly #problems: Problem[] = []
  readonly #warnings: Problem[] = []

  /** Throws DefinitionError once there are more problems than anybody reads. */
  add(path: Path, message: string, position?: Position, hint?: string): void {
    this.#problems.push(problem(path, message, position, hint))
    if (this.#problems.length > MAX_PROBLEMS) throw this.error()
  }

  warn(path: Path, message: string, position?: Position, hint?: string): void {
    if (this.takesWarnings) this.#warnings.push(problem(path, message, position, hint))
  }

  /** Whether a further warning would be told. */
  get takesWarnings(): boolean {
    return this.#warnings.length <= MAX_PROBLEMS
  }

  /** Where the problems are. */
  get paths(): readonly Path[] {
    return this.#problems.map(({ path }) => path)
  }

  get hasProblems(): boolean {
    return this.#problems.length > 0
  }

  /** The warnings in the order of the text. */
  get warnings(): readonly Problem[] {
    return shortened(inTextOrder(this.#warnings))
  }

  /** All problems so far, to throw. */
  error(): DefinitionError {
    return new DefinitionError(shortened(inTextOrder(this.#problems)), this.warnings)
  }

  /** All problems so far and one that ends the reading, to throw. */
  fatal(path: Path, message: string, position?: Position, hint?: string): DefinitionError {
    this.#problems.push(problem(path, message, position, hint))
    return this.error()
  }
}

function shortened(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= MAX_PROBLEMS) return problems
  return [...problems.slice(0, MAX_PROBLEMS), problem([], `There are more than these ${MAX_PROBLEMS}`)]
}
