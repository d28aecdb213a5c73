import { type Call, errors } from '@svc/kernel'
import type { Condition, Reader, Value } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { equalityOf } from '../model/derived.ts'
import type { Field } from '../model/field.ts'
import { allOf, liveRows } from '../query/live.ts'
import { finding } from '../speech/sentences.ts'
import type { Change } from '../write/change.ts'
import { malformed, type Reading } from '../write/refuse.ts'
import { ownValue } from '../write/values.ts'
import { belongsTo } from './parent.ts'
import type { Row } from './apply-rows.ts'
import { isObject, onlyKeys } from './batch.ts'
import { changeOf, type Surroundings } from './operation.ts'

/** The fields by which an item is found among the stored records. */
export type Conflict = readonly string[]

/** What decides whether an item is there already: the named fields, else the key. Undefined without `upsert`. */
export function conflictOf(body: unknown, access: Access, reading: Reading): Conflict | undefined {
  if (!isObject(body)) return undefined
  const { resource } = access
  onlyKeys(body, ['items', 'upsert', 'conflict'], reading)
  const { upsert = false, conflict = [resource.key.name] } = body
  if (typeof upsert !== 'boolean') throw malformed(reading, [{ ...finding('type.switch'), field: 'upsert' }])
  if (!upsert) return undefined
  if (resource.api.disabled.has('update'))
    throw errors.NOT_FOUND({
      message: `Updates of ${resource.plural} are not offered, and 'upsert' makes them`,
    })
  if (!isNames(conflict)) throw malformed(reading, [{ ...finding('type.names'), field: 'conflict' }])
  const unknown = conflict.find((name) => !isCompared(access.readable(name)))
  if (unknown === undefined) return conflict
  const params = { resource: resource.name, name: unknown }
  throw malformed(reading, [{ ...finding('unknown.stored', params), field: 'conflict' }])
}

/** What is sealed is the same as nothing, unless there is something to compare it by. */
const isCompared = (field: Field | undefined): boolean =>
  field !== undefined && equalityOf(field) !== undefined

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string')

interface UpsertAround extends Surroundings {
  readonly call: Call
  readonly conflict: Conflict
  readonly parent: Change['parent']
  /** The items that earlier rows of the batch bring, by their conflict values. */
  readonly seen: Set<string>
}

/**
 * A row that changes the record that is there, or makes one. What it finds before the transaction decides the steps
 * that it takes; should that be wrong by the time of the write, the row fails alone.
 */
export const upsert = (around: UpsertAround, item: unknown, row: number): Row => {
  const where = isObject(item) ? sameRecord(around, item) : undefined
  const text = JSON.stringify(where)
  const isRepeated = where !== undefined && around.seen.has(text)
  around.seen.add(text)
  return {
    async start() {
      const { call, parent, runtime } = around
      const [key] = where === undefined ? [] : await keysWhere(around, where, runtime.store)
      const kind = key === undefined && !isRepeated ? 'create' : 'update'
      return changeOf(around, call, kind, { body: item, key, parent, ifMatch: undefined, row })
    },
    async confirm(change, transaction) {
      if (where === undefined) return
      const [key, another] = await keysWhere(around, where, transaction)
      if (another !== undefined) throw ambiguous(around)
      if (key === undefined && isRepeated) throw unmade()
      if ((key === undefined) !== (change.kind === 'create')) throw overtaken()
      if (key !== undefined) change.key = key
    },
  }
}

/** The live records that have the item's values in the conflict fields; undefined where it lacks one of them. */
function sameRecord(around: UpsertAround, item: Record<string, unknown>) {
  const { resource, conflict, parent } = around
  const matches = conflict.map((name): Condition | undefined => {
    const field = resource.fields.get(name)!
    const sent = ownValue(item, name)
    const checked = isValue(sent) ? field.compiled.check(sent) : undefined
    if (checked === undefined || !('value' in checked) || checked.value === null) return undefined
    const { column, of } = equalityOf(field)!
    return { op: 'eq', column, value: of(checked.value) }
  })
  const found = matches.filter((match) => match !== undefined)
  return found.length < matches.length
    ? undefined
    : allOf([...found, ...liveRows(resource), ...belongsTo(parent), ...known(around)])
}

/**
 * Where several records may have the same values, only those count of which the caller may know: whether an item
 * changes or makes one would tell of the others. A unique value tells by its clash in any case.
 */
function known({ resource, conflict, call, runtime }: UpsertAround): readonly Condition[] {
  if (conflict.some((name) => name === resource.key.name || resource.fields.get(name)?.unique)) return []
  const access = new Access(resource, call.caller, runtime.env.now)
  const open = [access.rowsIfAny('list'), access.rowsIfAny('update')].filter((rows) => rows !== undefined)
  return [open.length === 0 ? { op: 'never' } : { op: 'or', of: open }]
}

/** Bodies are JSON: what is there and not null is a value. */
const isValue = (value: unknown): value is Exclude<Value, null> => value !== undefined && value !== null

/** The keys of the records that an item may be about: two at most, which are one too many. */
async function keysWhere({ resource }: Surroundings, where: Condition, reader: Reader) {
  const { table, key } = resource
  const found = await reader.select({ table, columns: [key.column!], where, order: [], limit: 2 })
  return found.map((row) => row[key.name] ?? undefined)
}

/** Which of several is meant nobody has said. */
const ambiguous = ({ conflict }: UpsertAround) =>
  errors.CONFLICT({
    message: `Several records have these values in ${conflict.map((name) => `'${name}'`).join(', ')}: name fields in 'conflict' that tell one from all others`,
  })

/** The item before it would have made the record that this one changes. */
const unmade = () =>
  errors.CONFLICT({
    message: 'An earlier item of the same values was refused: send this one again by itself',
  })

const overtaken = () =>
  errors.CONFLICT({
    message: 'Another request has made or deleted this record meanwhile: send the item again',
  })
