import {
  type BelongsTo,
  type Field,
  isRequiredOnCreate,
  isSetByService,
  type Model,
  type Relationship,
  type Resource,
  someInside,
  type ValidationRule,
} from '@svc/domain/contract'
import { type Json, likelyValues, SOME_UUID } from './values.ts'

/** A body by field. */
export type Body = Readonly<Record<string, Json>>

const known = new WeakMap<Resource, Body>()

/**
 * A body that makes a record: it fits every field and, where changes of one field at a time lead there, every
 * validation rule. What only some callers may write is left out, as are references that are not needed; those that
 * are needed hold a key for which the reader puts in another.
 */
export function createdExample(resource: Resource, model: Model): Body {
  const found = known.get(resource) ?? passing(first(resource, model), resource, model)
  known.set(resource, found)
  return found
}

/** A body that changes a record which was made with the other example. */
export const changedExample = (resource: Resource, model: Model): Body =>
  picked(createdExample(resource, model), (name) => {
    const field = resource.fields.get(name)
    return (
      field !== undefined &&
      !field.immutable &&
      !field.primaryKey &&
      !referenceOf(field, resource) &&
      !leadsElsewhere(field)
    )
  })

/** A body with what a transition needs, and nothing else. */
export const neededExample = (names: ReadonlySet<string>, resource: Resource, model: Model): Body =>
  Object.fromEntries(
    [...names].flatMap((name) => {
      const field = resource.fields.get(name)
      const isTold = field !== undefined && isWritable(field, resource)
      const [value] = isTold ? fittingValues(field, resource, model) : []
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

/** The relationship whose key a field holds. */
export const referenceOf = ({ name }: Field, { relationships }: Resource): BelongsTo | undefined =>
  [...relationships.values()].filter(isBelongsTo).find(({ foreignKey }) => foreignKey === name)

const isBelongsTo = (one: Relationship): one is BelongsTo => one.kind === 'belongsTo'

const picked = (body: Body, wanted: (name: string) => boolean): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => wanted(name)))

/** The best value of every field that belongs into a body. */
const first = (resource: Resource, model: Model): Body =>
  Object.fromEntries(
    [...resource.fields.values()].flatMap((field) => {
      const [value] = isOffered(field, resource) ? fittingValues(field, resource, model) : []
      return value === undefined ? [] : [[field.name, value] as const]
    }),
  )

/** Fields that everybody who may create a record can write, and those without which there is none. */
function isOffered(field: Field, resource: Resource): boolean {
  if (!isWritable(field, resource)) return false
  if (isRequiredOnCreate(field, resource)) return true
  const { type } = field.compiled
  if (field.primaryKey || type.make !== undefined || field.from !== undefined) return false
  if (field === resource.ownerField || isRestricted(field, resource)) return false
  return referenceOf(field, resource) === undefined && !leadsElsewhere(field)
}

/** Whether values of the field hold ids of something, such as files. */
const leadsElsewhere = ({ compiled }: Field): boolean => refersInside(compiled)

const refersInside = someInside(({ refersTo }) => refersTo !== undefined)

/** Whether a body may bring the field, and documents may tell of it. */
const isWritable = (field: Field, resource: Resource): boolean =>
  !isSetByService(field, resource) && field.name !== resource.stateMachine?.field && !isSecret(field)

const isSecret = ({ hidden, requestable, compiled }: Field): boolean =>
  hidden && !requestable && compiled.type.readable

const isRestricted = ({ name }: Field, { permissions }: Resource): boolean =>
  permissions.fields?.[name]?.write !== undefined

/** The values that fit a field, the best first. */
function fittingValues(field: Field, resource: Resource, model: Model): readonly Json[] {
  const reference = referenceOf(field, resource)
  const all = reference ? keysOf(reference, model) : valuesOf(field, model)
  return all.filter((value) => value !== null && 'value' in field.compiled.check(value))
}

const valuesOf = (
  { definition, compiled, default: fallback = null }: Field,
  model: Model,
): readonly Json[] => {
  // A variable is shown as it is written: that is no value to send.
  const isPlain = !JSON.stringify(fallback).includes('${')
  const { name: type, example: usual = null } = compiled.type
  const { example = usual } = compiled
  return [...(isPlain ? [fallback] : []), example, ...likelyValues({ ...definition, type }, model)]
}

/** Keys that a reference may hold: the one that the target's own example has, where it has one. */
function keysOf({ target }: BelongsTo, model: Model): readonly Json[] {
  const resource = target.kind === 'resource' ? model.resources.get(target.name) : undefined
  return resource === undefined ? [SOME_UUID] : valuesOf(resource.key, model)
}

/** How many changes lead from the first body to one that passes, at most. */
const MAX_CHANGES = 10

/** Changes the body field by field, as long as that brings it nearer to passing all rules. */
function passing(start: Body, resource: Resource, model: Model): Body {
  let body = start
  for (let count = 0; count < MAX_CHANGES; count++) {
    const failing = failures(body, resource)
    if (failing.length === 0) return body
    const better = changes(body, failing, resource, model).find(
      (changed) => failures(changed, resource).length < failing.length,
    )
    if (better === undefined) return body
    body = better
  }
  return body
}

/** The bodies that differ in one of the fields that failing rules read. */
function changes(
  body: Body,
  failing: readonly ValidationRule[],
  resource: Resource,
  model: Model,
): readonly Body[] {
  const names = new Set(failing.flatMap(({ expression }) => [...expression.fields]))
  return [...names].flatMap((name) => {
    const field = resource.fields.get(name)
    if (field === undefined || !isWritable(field, resource)) return []
    const others = fittingValues(field, resource, model).map((value) => ({ ...body, [name]: value }))
    const without = isRequiredOnCreate(field, resource) ? [] : [picked(body, (one) => one !== name)]
    return [...others, ...without]
  })
}

/** The rules that a create with this body would break. */
function failures(body: Body, resource: Resource): readonly ValidationRule[] {
  const context = { record: recordOf(body, resource), op: 'create', now: Date.now }
  return resource.validation.filter(
    ({ on, expression }) => on.includes('create') && !expression.holds(context),
  )
}

/** The record that a body would make, as far as rules can see it. */
function recordOf(body: Body, { fields, computed, stateMachine }: Resource): Body {
  const record: Record<string, Json> = {}
  for (const [name, { compiled, default: fallback = null }] of fields) {
    const checked = Object.hasOwn(body, name) ? compiled.check(body[name]!) : undefined
    record[name] = checked && 'value' in checked ? checked.value : fallback
  }
  if (stateMachine !== undefined) record[stateMachine.field] = stateMachine.initial
  for (const { name, computed: formula } of computed)
    record[name] = formula.expression.evaluate({ record, now: Date.now })
  return record
}
