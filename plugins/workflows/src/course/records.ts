import type { Resource } from '@svc/domain/contract'
import type { Condition, Reader, Row, Value } from '@svc/store/contract'

/** The key of a record as its column holds it, of what is kept of it; undefined where it is none. */
export function keyOf({ key }: Resource, kept: Value): Exclude<Value, null> | undefined {
  if (kept === null || typeof kept === 'object') return undefined
  const text = String(kept)
  if (key.column?.kind === 'uuid') return UUID.test(text) ? text.toLowerCase() : undefined
  if (key.column?.kind !== 'integer') return text
  const number = Number(text)
  // `1e0` and ` 1` are numbers too, and no keys.
  return Number.isSafeInteger(number) && String(number) === text ? number : undefined
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A record as it is stored, deleted or not; undefined where it is gone for good. */
export async function readRecord(reader: Reader, resource: Resource, kept: Value): Promise<Row | undefined> {
  const where = hasKey(resource, kept)
  if (where === undefined) return undefined
  const { table, columns } = resource
  const [row] = await reader.select({ table, columns, where, order: [], limit: 1 })
  return row
}

/** Which record it is that has a key. */
export function hasKey(resource: Resource, kept: Value): Condition | undefined {
  const value = keyOf(resource, kept)
  const { column } = resource.key
  return value === undefined || column === undefined ? undefined : { op: 'eq', column, value }
}

/** The records that are not deleted. */
export function living({ features, fields }: Resource): Condition {
  const deletedAt = features.softDelete ? fields.get('deletedAt')?.column : undefined
  return deletedAt === undefined ? { op: 'always' } : { op: 'null', column: deletedAt }
}

/** By what a step is found that keeps something of a record. */
export const recordOf = (
  { name, key }: Resource,
  record: Row,
): { readonly resource: string; readonly recordId: string | null } => {
  const value = record[key.name] ?? null
  return { resource: name, recordId: value === null ? null : String(value) }
}

/** A record as an instance keeps it: its fields, without secrets. */
export function keptRecord(record: Row, { fields }: Resource): Row {
  const readable = [...fields.values()].filter(({ compiled }) => compiled.type.readable)
  return Object.fromEntries(
    readable.flatMap(({ name }) => {
      const value = record[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
