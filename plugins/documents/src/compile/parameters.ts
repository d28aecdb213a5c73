import { type Parameter, readValue } from '@svc/domain/contract'
import { type Caller, errors, type FieldError } from '@svc/kernel'
import type { Value } from '@svc/store/contract'

/** Names that requests for documents have of themselves. */
export const TAKEN: ReadonlySet<string> = new Set(['recordId', 'locale'])

/** Reads what was sent. `faults` has what is wrong with it. */
export function readParameters(
  sent: Readonly<Record<string, unknown>>,
  parameters: readonly Parameter[],
  caller: Caller,
  now: () => number,
): { readonly values: Readonly<Record<string, Value>>; readonly faults: readonly FieldError[] } {
  const faults: FieldError[] = []
  const known = new Map(parameters.map((one) => [one.name, one]))
  for (const name of Object.keys(sent))
    if (!known.has(name) && !TAKEN.has(name))
      faults.push({
        field: name.slice(0, 100),
        rule: 'unknown',
        message: 'There is no such parameter',
      })
  const values = parameters.map((parameter): readonly [string, Value] => {
    const { name, otherwise, isOptional } = parameter
    const value = Object.hasOwn(sent, name) ? (sent[name] as Value) : undefined
    if (value === undefined || value === null) {
      if (value === undefined && otherwise !== undefined)
        return [
          name,
          'value' in otherwise ? otherwise.value : otherwise.expression.evaluate({ user: caller, now }),
        ]
      if (!isOptional) faults.push({ field: name, rule: 'required', message: `'${name}' is required` })
      return [name, null]
    }
    const read = readValue(value, parameter)
    if ('value' in read) return [name, read.value]
    faults.push({ field: name, ...read })
    return [name, null]
  })
  return { values: Object.fromEntries(values), faults }
}

/** 422 where something is wrong with what was sent. */
export function refuseFaults(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw errors.VALIDATION_ERROR({ errors: faults.slice(0, 100) })
}
