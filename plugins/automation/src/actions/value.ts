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

/**
 * Compiles what is written where a value belongs, maps and lists with what they hold; undefined where something is wrong
 * with it, which is reported.
 */
export function compileValue(
  written: unknown,
  path: Path,
  site: Site,
  speech: Speech,
): CompiledValue | undefined {
  if (typeof written === 'string') return compileText(written, path, site, speech)
  if (Array.isArray(written))
    return compileParts(
      written.map((one, at) => [at, one]),
      path,
      site,
      speech,
      Object.values,
    )
  if (typeof written === 'object' && written !== null)
    return compileParts(Object.entries(written), path, site, speech, (values) => values)
  return constant(typeof written === 'number' || typeof written === 'boolean' ? written : null)
}

const constant = (value: Value): CompiledValue => ({
  expressions: [],
  isConstant: true,
  evaluate: () => value,
})

function compileText(written: string, path: Path, site: Site, speech: Speech): CompiledValue | undefined {
  if (!/^\$(\(|[A-Za-z])/.test(written))
    return constant(written.startsWith('$$') ? written.slice(1) : written)
  const source = written.startsWith('$(') ? written.slice(2, -1) : written
  const expression = site.expression(source, path, speech)
  return (
    expression && {
      expressions: [expression],
      isConstant: false,
      evaluate: (context) => expression.evaluate(context),
    }
  )
}

function compileParts(
  parts: readonly (readonly [string | number, unknown])[],
  path: Path,
  site: Site,
  speech: Speech,
  together: (values: Readonly<Record<string, Value>>) => Value,
): CompiledValue | undefined {
  const compiled = parts.map(([at, one]) => [at, compileValue(one, [...path, at], site, speech)] as const)
  const values = compiled.flatMap(([at, value]) => (value ? [[at, value] as const] : []))
  if (values.length < compiled.length) return undefined
  return {
    expressions: values.flatMap(([, value]) => value.expressions),
    isConstant: values.every(([, value]) => value.isConstant),
    evaluate: (context) =>
      together(Object.fromEntries(values.map(([at, value]) => [at, value.evaluate(context)]))),
  }
}
