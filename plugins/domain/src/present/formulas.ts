import type { Neighbours } from '@svc/expression/contract'
import { round, type Row, type Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { overrideName } from '../model/override.ts'
import { crossedIn } from '../model/crossed.ts'
import { compiledOverride } from './overrides.ts'
import type { ComputedField, Field } from '../model/field.ts'

/**
 * Works out the formulas of a record for one caller, from what that caller may read alone: `neighbours` are what it leads
 * to by those rights. Without them formulas that reach are left out.
 */
export function workOut(record: Row, access: Access, neighbours?: Neighbours): Row {
  if (access.formulas.length === 0) return record
  const known: Record<string, Value> = {}
  for (const name of Object.keys(record)) if (access.readableIn(record, name)) known[name] = record[name]!
  if (hasOverrides(record, access)) {
    const open = access.formulas.filter(({ name }) => access.readableIn(record, name))
    return workOutOverridden(record, known, open, { access, neighbours, isForService: false })
  }
  for (const field of access.formulas)
    if (isAtHand(field, neighbours) && access.readableIn(record, field.name))
      known[field.name] = valueOf(field, known, access, neighbours)
  return known
}

/**
 * Works out every formula of a record, stored ones too, from all of it: for the service's own decisions. `neighbours` are
 * what it leads to, whoever may read that; without them formulas that reach are left out. What formulas look for in other
 * records is not looked for again: they are as they are stored.
 */
export function workOutAll(
  record: Row,
  access: Access,
  neighbours?: Neighbours,
): Readonly<Record<string, Value>> {
  const { computed } = access.resource
  if (computed.length === 0) return record
  const known: Record<string, Value> = { ...record }
  if (hasOverrides(record, access))
    return workOutOverridden(record, known, computed, { access, neighbours, isForService: true })
  for (const field of computed)
    if (isAtHand(field, neighbours) && field.computed.crossings.length === 0)
      known[field.name] = valueOf(field, known, access, neighbours)
  return known
}

/** Whether a record has a formula of its own for some computed field. */
const hasOverrides = (record: Row, { resource }: Access): boolean =>
  resource.overrides.some(({ name }) => (record[name] ?? null) !== null)

interface Working {
  readonly access: Access
  readonly neighbours: Neighbours | undefined
  /** Whether it is for decisions of the service, which take what formulas have found in other records as it is stored. */
  readonly isForService: boolean
}

/** Works out formulas of a record that has some of its own, each after those that it reads in this very record. */
function workOutOverridden(
  record: Row,
  known: Record<string, Value>,
  formulas: readonly ComputedField[],
  { access, neighbours, isForService }: Working,
): Row {
  const left = new Map(formulas.filter((field) => isAtHand(field, neighbours)).map((one) => [one.name, one]))
  const resolve = (field: ComputedField): void => {
    left.delete(field.name)
    const own = field.computed.overridable ? (record[overrideName(field.name)] ?? null) : null
    const expression =
      own === null ? field.computed.expression : compiledOverride(String(own), access.resource)
    if (isForService && expression !== undefined && expression.crossings.length > 0) return
    delete known[field.name]
    for (const name of own === null ? field.computed.declared : (expression?.fields ?? [])) {
      const next = left.get(name)
      if (next) resolve(next)
    }
    const { caller: user, now } = access
    const crossed = expression && crossedIn(field.name, expression, neighbours)
    const value = expression?.evaluate({ record: known, neighbours, crossed, user, now })
    known[field.name] = fitting(value ?? null, field.compiled)
  }
  for (const field of formulas) if (left.has(field.name)) resolve(field)
  return known
}

/** Whether all is there that a formula is worked out from. */
const isAtHand = ({ computed }: ComputedField, neighbours: Neighbours | undefined): boolean =>
  neighbours !== undefined || computed.reach.size === 0

/** The value of one formula; null where it does not fit the field's type. */
function valueOf(
  { name, computed, compiled }: ComputedField,
  record: Row,
  { caller, now }: Access,
  neighbours: Neighbours | undefined,
): Value {
  const { expression } = computed
  const crossed = crossedIn(name, expression, neighbours)
  return fitting(expression.evaluate({ record, neighbours, crossed, user: caller, now }), compiled)
}

/**
 * What was worked out for a field: a number with more digits after the point than the field keeps is rounded half away from zero to
 * these, as money is to cents. Null where it does not fit the field's type.
 */
export function fitting(value: Value, type: Field['compiled']): Value {
  if (value === null) return null
  const checked = type.check(typeof value === 'number' ? rounded(value, type) : value)
  return 'value' in checked ? checked.value : null
}

/** A whole number is not made of one that is none: that is another thing to say, by `round`, `floor` or `ceil`. */
const rounded = (value: number, { type, scale }: Field['compiled']): number =>
  scale === undefined || type.column !== 'decimal' ? value : round(value, scale)
