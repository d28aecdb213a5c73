import type { ActionPlace } from '@svc/automation/contract'
import { type Expression, inZone, type Parameter } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { SYSTEM } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { readParameters } from './parameters.ts'

/** The parameters that an action gives. */
export interface Given {
  readonly expressions: readonly Expression[]
  evaluate(context: EvaluationContext): Row
}

/** Compiles `input`; reports parameters that there are not, that are missing, and values that stand for themselves and do not fit. */
export function compileGiven(
  written: Readonly<Record<string, unknown>>,
  { parameters }: { readonly parameters: readonly Parameter[] },
  { site, path, speech, zone = 'UTC' }: ActionPlace,
): Given | undefined {
  const types = new Map(parameters.map(({ name, compiled }) => [name, compiled]))
  const values = Object.entries(written).map(([name, value]) => {
    const compiled = types.get(name)
    const fit = (given: Value) => (compiled ? inZone(given, { compiled }, zone) : given)
    return { name, fit, value: site.value(value, [...path, 'input', name], speech) }
  })
  const whole = values.flatMap(({ name, fit, value }) => (value ? [{ name, fit, value }] : []))
  if (whole.length < values.length) return undefined
  const evaluate: Given['evaluate'] = (context) =>
    Object.fromEntries(whole.map(({ name, fit, value }) => [name, fit(value.evaluate(context))]))
  const varying = new Set(whole.flatMap(({ name, value }) => (value.isConstant ? [] : [name])))
  const { faults } = readParameters(evaluate({ now: () => 0 }), parameters, SYSTEM, () => 0)
  for (const { field, message } of faults)
    if (!varying.has(field) || !types.has(field)) site.problem([...path, 'input', field], message)
  return { expressions: whole.flatMap(({ value }) => value.expressions), evaluate }
}
