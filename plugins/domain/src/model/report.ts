import type { Path, Problem } from '../definition/problem.ts'

/** Collects what is wrong with a definition while its model is built, so that all of it is told at once. */
export interface Report {
  problem(path: Path, message: string, hint?: string): void
  warning(path: Path, message: string, hint?: string): void
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

export function createReport(): Report {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const entry = (path: Path, message: string, hint?: string): Problem =>
    hint === undefined ? { path, message } : { path, message, hint }
  return {
    problem: (path, message, hint) => void problems.push(entry(path, message, hint)),
    warning: (path, message, hint) => void warnings.push(entry(path, message, hint)),
    problems,
    warnings,
  }
}
