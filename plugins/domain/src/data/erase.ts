import { type Condition, Increment, type Row, type Value } from '@svc/store/contract'
import type { StoredValues } from '../contract/data.ts'
import type { Erasure, Kept } from '../contract/part.ts'
import { deriveFrom } from '../model/derived.ts'
import { VERSION } from '../model/table.ts'
import { workOutStored } from '../crossing/work-out.ts'
import { siblingsOf } from '../model/siblings.ts'
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
      if (kept.redact !== undefined) await kept.redact({ ...erasure, records }, writes)
      else if (erasure.inLedgersAlone !== true) await eraseRows(kept, keys, writes)
    }
    if (erasure.inLedgersAlone === true) continue
    for (const { part } of model.parts) await part.erase?.(resource, keys, writes)
  }
}

/** Stores values of records without a step, with all that follows from them in their rows; answers the records as they are then. */
export async function storeValues(
  resource: Resource,
  changes: readonly StoredValues[],
  writes: Writes,
  now: () => number,
): Promise<readonly Row[]> {
  const { table, key, derived, computed } = resource
  const stored = computed.filter((field) => field.computed.stored)
  const after = changes.map(({ record, values }): Row => ({ ...record, ...values }))
  const reading = { reader: writes, resources: siblingsOf(resource), now }
  const worked = stored.length === 0 ? [] : await workOutStored(resource, after, reading)
  const written = changes.map(({ values }, at): Row => {
    const made = stored.map(({ name }) => [name, worked[at]?.[name] ?? null] as const)
    return { ...values, ...Object.fromEntries(made) }
  })
  const rows = written.map((row, at): Row => ({
    [key.name]: changes[at]!.record[key.name]!,
    ...row,
    ...deriveFrom(row, derived),
  }))
  await writes.updateRows({ table, rows, increments: { [VERSION.name]: new Increment(1) } })
  return after.map((row, at) => ({ ...row, ...written[at] }))
}

/** Takes records away with what links them to others; answers them as they were where that is `asked` for. */
export async function removeRecords(
  resource: Resource,
  keys: readonly Key[],
  model: Model,
  writes: Writes,
  asked: boolean,
): Promise<readonly Row[]> {
  const { table, columns } = resource
  const links = dependentsOf(model).get(resource.name)?.links ?? []
  const removed: Row[] = []
  for (const values of portions(keys)) {
    for (const link of links)
      await writes.remove({ table: link.table, where: { op: 'in', column: link.column, values } })
    const where: Condition = { op: 'in', column: resource.key.column!, values }
    if (asked) removed.push(...(await writes.select({ table, columns, where, order: [] })))
    await writes.remove({ table, where })
  }
  return removed
}

function* portions<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += PORTION) yield all.slice(at, at + PORTION)
}
