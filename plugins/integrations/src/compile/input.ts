import {
  compileParameters,
  type Domains,
  type Parameter,
  type Path,
  readValue,
  type Site,
} from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { OperationDefinition } from '../definition/operation.ts'

/** Compiles what a request may say in `input`; what is wrong is reported. */
export function compileInput(
  written: NonNullable<OperationDefinition['input']>,
  path: Path,
  site: Site,
  domains: Domains,
): readonly Parameter[] {
  const names = Object.keys(written)
  const listed = Object.entries(written).map(([name, one]) => {
    if (typeof one === 'string') return { name, type: one, optional: true }
    const { type, required = false, enum: allowed, default: otherwise } = one
    return {
      name,
      optional: !required,
      ...(type !== undefined && { type }),
      ...(allowed !== undefined && { enum: allowed }),
      ...(otherwise !== undefined && { default: otherwise }),
    }
  })
  for (const name of names)
    if (!/^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(name))
      site.problem([...path, name], 'is no name: it has to be a letter, and letters, digits and _ behind it')
  const byName = ([index, ...rest]: Path): Path => {
    const name = names[Number(index)] ?? ''
    return [...path, name, ...(typeof written[name] === 'string' ? [] : rest)]
  }
  const named: Site = {
    ...site,
    problem: (at, message, hint) => site.problem(byName(at), message, hint),
    expression: (source, at, speech) => site.expression(source, byName(at), speech),
  }
  const { types } = domains.language()
  return compileParameters(listed, named, [], { types, taken: new Set() })
}

/** What a request says in `input`, as it is stored. Throws VALIDATION_ERROR. */
export function readInput(
  given: Readonly<Record<string, Value>>,
  parameters: readonly Parameter[],
  now: () => number,
): Row {
  const faults = Object.keys(given)
    .filter((name) => !parameters.some((one) => one.name === name))
    .map((name) => ({
      field: `input.${name}`,
      rule: 'unknown',
      message: 'The operation takes no such input',
    }))
  const values = parameters.map((parameter): readonly [string, Value] => {
    const { name, isOptional, otherwise } = parameter
    const value = given[name] ?? null
    if (value === null) {
      if (otherwise !== undefined)
        return [name, 'value' in otherwise ? otherwise.value : otherwise.expression.evaluate({ now })]
      if (!isOptional) faults.push({ field: `input.${name}`, rule: 'required', message: 'is required' })
      return [name, null]
    }
    const read = readValue(value, parameter)
    if ('value' in read) return [name, read.value]
    faults.push({ field: `input.${name}`, rule: read.rule, message: read.message })
    return [name, null]
  })
  if (faults.length > 0) throw errors.VALIDATION_ERROR({ errors: faults })
  return Object.fromEntries(values)
}
