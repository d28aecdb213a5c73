import { type Condition, Increment, type Reader, type Row, type Value } from '@svc/store/contract'
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

/** Where blocks keep values of a resource's records beside them. */
export const keptOf = (resource: Resource, { parts }: Model): readonly Kept[] =>
  parts.flatMap(({ part }) => part.keeps?.(resource) ?? [])

/** Erases what blocks keep of a record beside it. */
export async function eraseKept(resource: Resource, key: Key, model: Model, writes: Writes): Promise<void> {
  for (const kept of keptOf(resource, model)) if (kept.apart !== true) await eraseRows(kept, key, writes)
  for (const { part } of model.parts) await part.erase?.(resource, key, writes)
}

async function eraseRows({ table, recordId, where, erased }: Kept, key: Key, writes: Writes): Promise<void> {
  const value = recordId.kind === 'text' ? String(key) : key
  const about: Condition = { op: 'eq', column: recordId, value }
  const rows: Condition = where === undefined ? about : { op: 'and', of: [about, where] }
  if (erased === undefined) await writes.remove({ table, where: rows })
  else await writes.update({ table, where: rows, set: erased })
}

/** Takes values of a record out of what blocks keep of it; what no block can take apart is erased whole. */
export async function redactKept(
  erasure: Erasure,
  retained: ReadonlySet<NonNullable<Kept['told']>>,
  model: Model,
  writes: Writes,
): Promise<void> {
  const { resource, key } = erasure
  for (const kept of keptOf(resource, model)) {
    if (kept.apart === true || (kept.told !== undefined && retained.has(kept.told))) continue
    if (kept.redact === undefined) await eraseRows(kept, key, writes)
    else await kept.redact(erasure, writes)
  }
  for (const { part } of model.parts) await part.erase?.(resource, key, writes)
}

/** Stores values of a record without a step, with all that follows from them in its row. */
export async function storeValues(
  resource: Resource,
  record: Row,
  values: Row,
  writes: Writes,
  now: () => number,
): Promise<Row> {
  const stored = resource.computed.filter(({ computed }) => computed.stored)
  const worked = stored.length === 0 ? {} : await workedOut(resource, { ...record, ...values }, writes, now)
  const made = Object.fromEntries(stored.map(({ name }) => [name, worked[name] ?? null]))
  const written: Row = { ...values, ...made }
  const { table, key, derived } = resource
  await writes.update({
    table,
    set: { ...written, ...deriveFrom(written, derived), [VERSION.name]: new Increment(1) },
    where: { op: 'eq', column: key.column!, value: record[key.name]! },
  })
  return { ...record, ...written }
}

async function workedOut(resource: Resource, record: Row, reader: Reader, now: () => number): Promise<Row> {
  const reading = { reader, resources: siblingsOf(resource), now }
  const [worked] = await workOutStored(resource, [record], reading)
  return worked ?? {}
}

/** Takes a record away with what links it to others; answers it as it was where anybody may have to know. */
export async function removeRecord(
  resource: Resource,
  key: Key,
  model: Model,
  writes: Writes,
): Promise<Row | undefined> {
  for (const { table, column } of dependentsOf(model).get(resource.name)?.links ?? [])
    await writes.remove({ table, where: { op: 'eq', column, value: key } })
  const { table, columns } = resource
  const where = { op: 'eq', column: resource.key.column!, value: key } as const
  const [row] = await writes.select({ table, columns, where, order: [] })
  await writes.remove({ table, where })
  return row
}
