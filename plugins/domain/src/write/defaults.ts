import type { Reader, Value } from '@svc/store/contract'
import { looksAcross, workOutStored } from '../crossing/work-out.ts'
import type { ComputedField, Field } from '../model/field.ts'
import { siblingsOf } from '../model/siblings.ts'
import { workOutAll } from '../present/formulas.ts'
import { finding } from '../speech/sentences.ts'
import type { Change } from './change.ts'
import { isMoment } from './accept.ts'

/**
 * A new record gets a value in every column: what was sent, what the service sets, the default, or null. Nothing is drawn
 * for one that comes to nothing, as something is wrong with it already.
 */
export function fillNew(change: Change): void {
  const { values, resource, faults } = change
  const isRefused = faults.length > 0
  stamp(change, true)
  start(change)
  if (change.parent) values[change.parent.field.name] = change.parent.value
  for (const field of resource.fields.values()) {
    if (!field.column || values[field.name] !== undefined) continue
    if (isRefused && isDrawn(field)) continue
    const value = initial(field, change)
    if (value === null && (field.required || field.primaryKey) && !madeLater(field))
      faults.push(required(field))
    else values[field.name] = value
  }
  change.key = values[resource.key.name] as Change['key']
}

/**
 * A replaced record: absent fields go back to their default or null, but for what a replacement keeps. Below a parent
 * it stays with that, unless the body names another.
 */
export function fillReplaced(change: Change): void {
  const { values, resource, faults, parent } = change
  if (parent) values[parent.field.name] ??= parent.value
  for (const field of resource.fields.values()) {
    if (!field.column || values[field.name] !== undefined || keptByPut(field, change)) continue
    const value = field.default ?? null
    if (value === null && field.required) faults.push(required(field))
    else values[field.name] = value
  }
}

/** A changed record gets the time and author of the change. */
export function fillChanged(change: Change): void {
  stamp(change, false)
}

/** A restored record loses the mark of its deletion. */
export function undelete({ values }: Change): void {
  values['deletedAt'] = null
}

/** Works out the formulas that are stored, from the whole record as it will be and from what they find in others. */
export function computeStored(change: Change, reader: Reader): void | Promise<void> {
  const { resource, previous, values, access } = change
  const stored = resource.computed.filter(({ computed }) => computed.stored)
  if (stored.length === 0) return undefined
  if (looksAcross(resource)) return computeAcross(change, stored, reader)
  const record = workOutAll({ ...previous, ...values }, access)
  for (const { name } of stored) values[name] = record[name] ?? null
  return undefined
}

async function computeAcross(
  { resource, previous, values, access: { now } }: Change,
  stored: readonly ComputedField[],
  reader: Reader,
): Promise<void> {
  const reading = { reader, resources: siblingsOf(resource), now }
  const [record] = await workOutStored(resource, [{ ...previous, ...values }], reading)
  for (const { name } of stored) values[name] = record?.[name] ?? null
}

/** A new record starts in the initial state; only the service itself may choose another. */
function start({ resource, values, caller }: Change): void {
  const machine = resource.stateMachine
  if (machine === undefined) return
  const chosen = values[machine.field]
  const mayChoose = caller.kind === 'system' && typeof chosen === 'string' && machine.states.has(chosen)
  if (!mayChoose) values[machine.field] = machine.initial
}

/** Numbers and slugs are made inside the transaction. */
const madeLater = ({ compiled, from }: Field): boolean => compiled.type.generated || from !== undefined

/** Keys and what a type makes: each is another. */
const isDrawn = (field: Field): boolean => isKeyMade(field) || field.compiled.type.make !== undefined

const isKeyMade = ({ primaryKey, compiled }: Field): boolean => primaryKey && compiled.type.column === 'uuid'

function initial(field: Field, change: Change): Value {
  if (isKeyMade(field)) return change.runtime.newId()
  const made = field.compiled.type.make?.((size) => change.runtime.env.randomBytes(size))
  return made ?? field.default ?? null
}

const required = (field: Field) => ({ ...finding('required'), field: field.name })

/** What the service sets, what never changes, and what the caller may not write. */
function keptByPut(field: Field, { resource, access }: Change): boolean {
  const { primaryKey, immutable, autoNow, computed, from, compiled, name } = field
  if (primaryKey || immutable || autoNow || computed || from || compiled.type.generated) return true
  if (!access.writable(field)) return true
  return (
    field === resource.ownerField ||
    name === resource.stateMachine?.field ||
    isStamp(field) ||
    name === 'deletedAt'
  )
}

const STAMPS = ['createdAt', 'updatedAt', 'createdById', 'updatedById']
export const isStamp = ({ name }: Field): boolean => STAMPS.includes(name)

/** Sets the times and authors that the resource declares. */
function stamp(change: Change, isNew: boolean): void {
  const { resource, values, at, caller } = change
  for (const field of resource.fields.values()) {
    const when = field.autoNow ?? impliedAutoNow(field)
    if (when === undefined || (when === 'create' && !isNew)) continue
    values[field.name] ??= momentOf(field, at)
  }
  if (caller.kind !== 'user') return
  if (isNew && resource.fields.has('createdById')) values['createdById'] = caller.id
  if (resource.fields.has('updatedById')) values['updatedById'] = caller.id
  if (isNew && resource.ownerField) values[resource.ownerField.name] ??= caller.id
}

/** `createdAt` and `updatedAt` are times of writes even where the definition does not say so. */
function impliedAutoNow(field: Field): 'create' | 'update' | undefined {
  if (!isMoment(field)) return undefined
  if (field.name === 'createdAt') return 'create'
  return field.name === 'updatedAt' ? 'update' : undefined
}

/** The moment in the form that the field keeps: a day, a time of day, or both. */
export function momentOf({ compiled }: Field, at: string): Value {
  const { column } = compiled.type
  if (column === 'date') return at.slice(0, 10)
  return column === 'time' ? (compiled.parseText(at.slice(11, 23)) ?? null) : at
}
