import type { Access, Data, Resource } from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Column, Condition, Row, Value } from '@svc/store/contract'
import { REFERENCE, references } from '../tables.ts'

/** A record that refers to an item, as it is answered. */
export interface SeenReference {
  readonly resource: string
  readonly record_id: string
  readonly field_name: string
}

/** So many records are looked at at once. */
const PORTION = 500

/** The references to an item whose record a caller may get and whose field it may read, by resource and record. */
export async function referencesSeenBy(
  caller: Caller,
  id: string,
  data: Data,
): Promise<readonly SeenReference[]> {
  const rows = await data.reader.select({
    table: references,
    columns: [REFERENCE.resource, REFERENCE.recordId, REFERENCE.fieldName],
    where: { op: 'eq', column: REFERENCE.mediaId, value: id },
    order: [REFERENCE.resource, REFERENCE.recordId, REFERENCE.fieldName].map((column) => ({
      column,
      descending: false,
    })),
  })
  const seen: SeenReference[] = []
  for (let at = 0; at < rows.length; at += PORTION)
    seen.push(...(await seenOf(rows.slice(at, at + PORTION).map(referenceOf), caller, data)))
  return seen
}

const referenceOf = (row: Row): SeenReference => ({
  resource: String(row['resource']),
  record_id: String(row['record_id']),
  field_name: String(row['field_name']),
})

async function seenOf(
  found: readonly SeenReference[],
  caller: Caller,
  data: Data,
): Promise<readonly SeenReference[]> {
  const records = new Map<string, ReadonlyMap<string, Row>>()
  for (const name of new Set(found.map(({ resource }) => resource))) {
    const resource = data.model.resources.get(name)
    if (resource === undefined) continue
    const keys = found.filter((one) => one.resource === name).map(({ record_id }) => record_id)
    records.set(name, await recordsOf(resource, [...new Set(keys)], caller, data))
  }
  return found.filter(({ resource: name, record_id, field_name }) => {
    const record = records.get(name)?.get(record_id)
    if (record === undefined) return false
    return data.access(data.model.resources.get(name)!, caller).readableIn(record, field_name)
  })
}

/** The records of these keys that a caller may get, with what decides what it may read of them. */
async function recordsOf(
  resource: Resource,
  keys: readonly string[],
  caller: Caller,
  data: Data,
): Promise<ReadonlyMap<string, Row>> {
  const access = data.access(resource, caller)
  const deciding = access.decidingIfAny('get')
  const { name, column } = resource.key
  if (deciding === undefined || column === undefined) return new Map()
  const owner = resource.ownerField?.column
  const columns: readonly Column[] = [...new Set([column, ...deciding, ...(owner ? [owner] : [])])]
  const rows = await data.reader.select({
    table: resource.table,
    columns,
    where: { op: 'and', of: [...live(resource, keys, column), ...access.left('get')] },
    order: [],
  })
  const kept = await permitted(rows, resource, access, data, caller)
  return new Map(kept.map((row) => [String(row[name]), row]))
}

/** Rows that a caller may get: one that depends on what other records hold is asked for by itself. */
async function permitted(
  rows: readonly Row[],
  resource: Resource,
  access: Access,
  data: Data,
  caller: Caller,
): Promise<readonly Row[]> {
  if (access.reaching('get').size === 0) return rows.filter((row) => access.mayTouch('get', row))
  const kept: Row[] = []
  for (const row of rows)
    if ((await data.find(resource, row[resource.key.name] ?? null, { caller })) !== undefined) kept.push(row)
  return kept
}

function live({ fields, features }: Resource, keys: readonly string[], column: Column): readonly Condition[] {
  const deletedAt = features.softDelete ? fields.get('deletedAt')?.column : undefined
  const values = keys.map((key): Exclude<Value, null> => (isNumber(column) ? Number(key) : key))
  return [{ op: 'in', column, values }, ...(deletedAt ? [{ op: 'null', column: deletedAt } as const] : [])]
}

const NUMBERS: readonly Column['kind'][] = ['integer', 'decimal', 'float']
const isNumber = ({ kind }: Column): boolean => NUMBERS.includes(kind)
