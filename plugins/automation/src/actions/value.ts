import type { Expression, Path, Site, Speech } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'

/** A value of a definition, which may be worked out anew each time. */
export interface CompiledValue {
  readonly expressions: readonly Expression[]
  /** Whether it is the same each time. */
  readonly isConstant: boolean
  evaluate(context: EvaluationContext): Value
}

/** Compiles what is written where a value belongs; undefined where something is wrong with it, which is reported. */
export function compileValue(
  written: unknown,
  path: Path,
  site: Site,
  speech: Speech,
): CompiledValue | undefined {
  if (typeof written === 'string' && /^\$(\(|[A-Za-z])/.test(written)) {
    const source = written.startsWith('$(') ? written.slice(2, -1) : written
    const expression = site.expression(source, path, speech)
    return (
      expression && {
        expressions: [expression],
        isConstant: false,
        evaluate: (at) => expression.evaluate(at),
      }
    )
  }
  const value = (
    typeof written === 'string' && written.startsWith('$$') ? written.slice(1) : written
  ) as Value
  return { expressions: [], isConstant: true, evaluate: () => value }
}
