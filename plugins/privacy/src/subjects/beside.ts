import { type Data, type Field, referredBy, type Resource } from '@svc/domain/contract'
import { type Condition, openValue, type Reader, type Row, type Value } from '@svc/store/contract'
import { PORTION } from './find.ts'
import type { SubjectRecords } from './records.ts'

/** What is kept beside records and told of them. */
export const TOLD = ['audit', 'versions', 'history', 'documents', 'notifications'] as const
type Beside = Record<(typeof TOLD)[number], Row[]>

/** What is kept of records beside them, by the names under which that is told. */
export async function besideOf(
  records: SubjectRecords,
  past: ReadonlyMap<Resource, readonly string[]>,
  data: Data,
  reader: Reader = data.reader,
): Promise<Beside> {
  const found: Beside = { audit: [], versions: [], history: [], documents: [], notifications: [] }
  for (const resource of data.model.resources.values()) {
    const ids = [...(records.get(resource)?.keys() ?? []), ...(past.get(resource) ?? [])]
    if (ids.length === 0) continue
    for (const { told, table, recordId, where: also } of data.keeps(resource)) {
      if (told === undefined) continue
      const keys = recordId.kind === 'integer' ? ids.map(Number) : ids
      for (let at = 0; at < keys.length; at += PORTION) {
        const among: Condition = { op: 'in', column: recordId, values: keys.slice(at, at + PORTION) }
        const where: Condition = also === undefined ? among : { op: 'and', of: [among, also] }
        const order = table.primaryKey.map((column) => ({ column, descending: false }))
        const rows = await reader.select({ table, columns: table.columns, where, order })
        found[told].push(
          ...rows.map((row) => ({
            resource: resource.name,
            ...openedRow(row, resource, row[recordId.name] ?? null),
          })),
        )
      }
    }
  }
  return found
}

/** The ids of media that records refer to. */
export const mediaOf = (records: SubjectRecords): readonly Row[] =>
  [...records].flatMap(([resource, rows]) => {
    const fields = [...resource.fields.values()].filter(({ column }) => column !== undefined)
    return [...rows].flatMap(([recordId, row]) =>
      fields.flatMap((field) =>
        mediaIn(field, row[field.name] ?? null).map((id) => ({
          id,
          resource: resource.name,
          recordId,
          field: field.name,
        })),
      ),
    )
  })

export const mediaIn = ({ compiled }: Field, value: Value): readonly string[] =>
  value === null
    ? []
    : referredBy(compiled, value).flatMap(({ type, id }) => (type.type?.name === 'media' ? [id] : []))

const openedRow = (row: Row, resource: Resource, of: Value): Row =>
  mapped(row, (value) => opened(value, undefined, resource, of))

/** What was sealed inside of a ledger, by the name of the field under which it stands. */
function opened(value: Value, field: Field | undefined, resource: Resource, of: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  const open = openValue(field?.column ?? {}, value, of)
  if (open !== value) return open
  if (isList(value)) return value.map((one) => opened(one, field, resource, of))
  return mapped(value, (one, name) => opened(one, resource.fields.get(name) ?? field, resource, of))
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** A row with other values, or the same one where none is another. */
function mapped(row: Row, change: (value: Value, name: string) => Value): Row {
  let made: Record<string, Value> | undefined
  for (const [name, value] of Object.entries(row)) {
    const changed = change(value, name)
    if (changed !== value) (made ??= { ...row })[name] = changed
  }
  return made ?? row
}
