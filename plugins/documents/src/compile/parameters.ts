import {
  type CompiledType,
  type Domains,
  type Expression,
  type Path,
  sentenceOf,
  type Site,
} from '@svc/domain/contract'
import { type Caller, errors, type FieldError } from '@svc/kernel'
import { type Known, kindOfColumn } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import type { WrittenParameter } from '../definition.ts'

/** A parameter of a template. */
export interface Parameter {
  readonly name: string
  readonly type: string
  readonly compiled: CompiledType
  readonly isOptional: boolean
  readonly allowed: ReadonlySet<string> | undefined
  /** What it is where it is left out. */
  readonly otherwise: { readonly value: Value } | { readonly expression: Expression } | undefined
}

/** Types whose values nobody hands over. */
const CLOSED: ReadonlySet<string> = new Set(['password', 'token', 'autoincrement'])
const TAKEN: ReadonlySet<string> = new Set(['recordId', 'locale'])

/** Compiles parameters; what is wrong is reported. */
export function compileParameters(
  written: readonly WrittenParameter[],
  site: Site,
  path: Path,
  domains: Domains,
): readonly Parameter[] {
  const known = new Set<string>()
  return written.flatMap((one, at) => {
    const place = [...path, at]
    const { name } = one
    if (TAKEN.has(name))
      site.problem([...place, 'name'], `'${name}' has a meaning of its own`, 'Call the parameter otherwise')
    if (known.has(name)) site.problem([...place, 'name'], `there are two parameters called '${name}'`)
    known.add(name)
    return compileParameter(one, site, place, domains) ?? []
  })
}

function compileParameter(
  written: WrittenParameter,
  site: Site,
  path: Path,
  domains: Domains,
): Parameter | undefined {
  const { name, type: typeName = 'string', optional: isOptional = false } = written
  const { types } = domains.language()
  const type = types.find(typeName)
  if (type === undefined || CLOSED.has(type.name) || type.column === 'json') {
    const meant = type === undefined ? types.nearest(typeName) : undefined
    const message =
      type === undefined ? `there is no type '${typeName}'` : `'${typeName}' is no type of parameters`
    site.problem(
      [...path, 'type'],
      message,
      meant === undefined ? 'Name a scalar type' : `Did you mean '${meant}'?`,
    )
    return undefined
  }
  const allowed = enumOf(written, site, path)
  const { model } = site
  const scope = { allowed: undefined, blocks: model.blocks, enums: model.enums }
  const compiled = types.compile(type, { type: typeName }, scope)
  const parameter = { name, type: typeName, compiled, isOptional, allowed, otherwise: undefined }
  return { ...parameter, otherwise: defaultOf(written, parameter, site, [...path, 'default']) }
}

function enumOf(
  { enum: written }: WrittenParameter,
  site: Site,
  path: Path,
): ReadonlySet<string> | undefined {
  if (written === undefined || typeof written !== 'string') return written && new Set(written)
  const values = site.model.enums.get(written)?.values
  if (values === undefined) site.problem([...path, 'enum'], `there is no enumeration '${written}'`)
  return values && new Set(values.keys())
}

function defaultOf(
  { default: written }: WrittenParameter,
  parameter: Parameter,
  site: Site,
  path: Path,
): Parameter['otherwise'] {
  if (written === undefined || written === null) return undefined
  const read = readValue(written, parameter)
  if ('value' in read) return read
  const isText = kindOfColumn(parameter.compiled.type.column) === 'text'
  if (typeof written !== 'string' || isText || parameter.allowed !== undefined) {
    site.problem(path, read.message)
    return undefined
  }
  const expression = site.expression(written, path, { moment: 'read' })
  return expression && { expression }
}

/** What is known of the values of parameters, by name. */
export const parameterKinds = (parameters: readonly Parameter[]): ReadonlyMap<string, Known> =>
  new Map(parameters.map(({ name, compiled }) => [name, kindOfColumn(compiled.type.column)]))

type ReadValue = { readonly value: Value } | { readonly rule: string; readonly message: string }

function readValue(value: Value, { compiled, allowed }: Parameter): ReadValue {
  const checked = compiled.check(value)
  if (!('value' in checked)) {
    const [fault] = checked.faults
    return { rule: fault?.rule ?? 'type', message: fault ? sentenceOf(fault) : 'is not of the type' }
  }
  if (allowed !== undefined && !allowed.has(String(checked.value)))
    return { rule: 'enum', message: `must be one of ${[...allowed].slice(0, 20).join(', ')}` }
  return { value: checked.value }
}

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
        message: 'This template has no such parameter',
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
