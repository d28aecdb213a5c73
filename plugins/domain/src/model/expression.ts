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

/** What `read` makes of a text in which these may be named, with its warnings; undefined where it was reported as wrong. */
export function compiledOrReport<T extends { readonly warnings: readonly Fault[] }>(
  source: string,
  path: Path,
  { vocabulary, report }: { readonly vocabulary: Vocabulary; readonly report: Report },
  read: (source: string, vocabulary: Vocabulary) => T,
): T | undefined {
  const made = orReport(() => read(source, vocabulary), path, report, source)
  for (const fault of made?.warnings ?? []) report.warning(path, placed(fault, source), fault.hint)
  return made
}

/** What `read` makes of the text at `path`, `source` if it has lines; undefined where it was reported as wrong. */
export function orReport<T>(read: () => T, path: Path, report: Report, source = ''): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    for (const fault of error.faults) report.problem(path, placed(fault, source), fault.hint)
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

/** Where in the text of the expression, or in which line of a longer text, the fault stands, counted from 1. */
export function placed({ message, offset }: Fault, source = ''): string {
  const lines = source.slice(0, offset).split('\n')
  const place = `character ${(lines.at(-1)?.length ?? 0) + 1}`
  return source.includes('\n')
    ? `${message} (line ${lines.length}, ${place})`
    : `${message} (character ${offset + 1})`
}
