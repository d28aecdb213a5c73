import {
  compile,
  type Expression,
  ExpressionError,
  type Fault,
  type Vocabulary,
} from '@svc/expression/contract'
import type { Path } from '../definition/problem.ts'
import type { Report } from './report.ts'

/** Compiles an expression of a definition; undefined where it was reported as wrong. */
export function buildExpression(
  source: string,
  path: Path,
  vocabulary: Vocabulary,
  report: Report,
): Expression | undefined {
  const expression = orReport(() => compile(source, vocabulary), path, report)
  for (const fault of expression?.warnings ?? []) report.warning(path, placed(fault), fault.hint)
  return expression
}

/** What `read` makes of the text at `path`; undefined where the text was reported as wrong. */
export function orReport<T>(read: () => T, path: Path, report: Report): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    for (const fault of error.faults) report.problem(path, placed(fault), fault.hint)
    return undefined
  }
}

/** Compiles an expression that something depends on: one that can never be true is hardly meant. */
export function buildCondition(
  source: string,
  path: Path,
  vocabulary: Vocabulary,
  report: Report,
): Expression | undefined {
  const expression = buildExpression(source, path, vocabulary, report)
  if (expression && !['boolean', 'unknown'].includes(expression.kind))
    report.warning(path, `this gives ${expression.kind} and is never true`, 'Write a comparison')
  return expression
}

/** Where in the text of the expression the fault stands, counted from 1. */
const placed = ({ message, offset }: Fault): string => `${message} (character ${offset + 1})`
