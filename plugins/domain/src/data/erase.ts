import { type Condition, Increment, type Row, type Value } from '@svc/store/contract'
import { SYSTEM } from '@svc/kernel'
import { Access } from '../access/access.ts'
import type { StoredValues } from '../contract/data.ts'
import type { Erasure, Kept } from '../contract/part.ts'
import { deriveFrom } from '../model/derived.ts'
import { VERSION } from '../model/table.ts'
import { workOutAll } from '../present/formulas.ts'
import { dependentsOf } from '../write/dependents.ts'
import type { Writes } from '../contract/writes.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'

type Key = Exclude<Value, null>

/** How many records a statement names at once. */
const PORTION = 500

/** Where blocks keep values of a resource's records beside them. */
export const keptOf = (resource: Resource, { parts }: Model): readonly Kept[] =>
  parts.flatMap(({ part }) => part.keeps?.(resource) ?? [])

/** Erases what blocks keep of records beside them. */
export async function eraseKept(
  resource: Resource,
  keys: readonly Key[],
  model: Model,
  writes: Writes,
): Promise<void> {
  for (const some of portions(keys)) {
    for (const kept of keptOf(resource, model)) if (kept.apart !== true) await eraseRows(kept, some, writes)
    for (const { part } of model.parts) await part.erase?.(resource, some, writes)
  }
}

async function eraseRows(
  { table, recordId, where, erased }: Kept,
  keys: readonly Key[],
  writes: Writes,
): Promise<void> {
  const values = recordId.kind === 'text' ? keys.map(String) : keys
  const about: Condition = { op: 'in', column: recordId, values }
  const rows: Condition = where === undefined ? about : { op: 'and', of: [about, where] }
  if (erased === undefined) await writes.remove({ table, where: rows })
  else await writes.update({ table, where: rows, set: erased })
}

/** Takes values of records out of what blocks keep of them; what no block can take apart is erased whole. */
export async function redactKept(
  erasure: Erasure,
  retained: ReadonlySet<NonNullable<Kept['told']>>,
  model: Model,
  writes: Writes,
): Promise<void> {
  const { resource } = erasure
  for (const records of portions(erasure.records)) {
    const keys = records.map(({ key }) => key)
    for (const kept of keptOf(resource, model)) {
      if (kept.apart === true || (kept.told !== undefined && retained.has(kept.told))) continue
      if (kept.redact === undefined) await eraseRows(kept, keys, writes)
      else await kept.redact({ ...erasure, records }, writes)
    }
    for (const { part } of model.parts) await part.erase?.(resource, keys, writes)
  }
}

/** Stores values of records without a step, with all that follows from them in their rows. */
export async function storeValues(
  resource: Resource,
  changes: readonly StoredValues[],
  writes: Writes,
  now: () => number,
): Promise<void> {
  const { table, key, derived } = resource
  const stored = resource.computed.filter(({ computed }) => computed.stored)
  const access = Access.of(resource, SYSTEM, now)
  const rows = changes.map(({ record, values }): Row => {
    const worked = stored.length === 0 ? {} : workOutAll({ ...record, ...values }, access)
    const made = Object.fromEntries(stored.map(({ name }) => [name, worked[name] ?? null]))
    const written: Row = { ...values, ...made }
    return { [key.name]: record[key.name]!, ...written, ...deriveFrom(written, derived) }
  })
  const increments = { [VERSION.name]: new Increment(1) }
  await writes.updateRows({ table, rows, increments })
}

/** Takes records away with what links them to others. */
export async function removeRecords(
  resource: Resource,
  keys: readonly Key[],
  model: Model,
  writes: Writes,
): Promise<void> {
  const links = dependentsOf(model).get(resource.name)?.links ?? []
  for (const values of portions(keys)) {
    for (const { table, column } of links) await writes.remove({ table, where: { op: 'in', column, values } })
    await writes.remove({ table: resource.table, where: { op: 'in', column: resource.key.column!, values } })
  }
}

function* portions<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += PORTION) yield all.slice(at, at + PORTION)
}
