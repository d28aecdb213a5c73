import { MAX_PROBLEMS } from '../definition/limits.ts'
import { type Path, problem, type Problem } from '../definition/problem.ts'

/** Collects what is wrong with a definition while its model is built, so that all of it is told at once. */
export interface Report {
  /** Throws TooManyProblems once there are more than anybody reads. */
  problem(path: Path, message: string, hint?: string): void
  /**
   * Refuses what the model is nonetheless built of as it is written, down to its tables. What is in force stays so with it, since
   * it may have been accepted before.
   */
  judgement(path: Path, message: string, hint?: string): void
  warning(path: Path, message: string, hint?: string): void
  readonly problems: readonly Problem[]
  readonly judgements: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** The rest of a definition is not worth looking at. */
export class TooManyProblems extends Error {
  override readonly name = 'TooManyProblems'
}

/** Whether something may be said about a place: near what is broken it may be wrong. */
export type Soundness = (path: Path, message: string) => boolean

/** Makes a report of what `isSound` holds for. */
export function createReport(isSound: Soundness = () => true): Report {
  const problems: Problem[] = []
  const judgements: Problem[] = []
  const warnings: Problem[] = []
  const addTo = (found: Problem[], path: Path, message: string, hint: string | undefined) => {
    if (found.length > MAX_PROBLEMS || !isSound(path, message)) return
    found.push(problem(path, message, undefined, hint))
  }
  return {
    problem(path, message, hint) {
      if (!isSound(path, message)) return
      problems.push(problem(path, message, undefined, hint))
      if (problems.length > MAX_PROBLEMS) throw new TooManyProblems()
    },
    judgement: (path, message, hint) => addTo(judgements, path, message, hint),
    warning: (path, message, hint) => addTo(warnings, path, message, hint),
    problems,
    judgements,
    warnings,
  }
}
