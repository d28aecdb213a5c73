import { type Data, type Field, referredBy, type Resource } from '@svc/domain/contract'
import type { Condition, Reader, Row, Value } from '@svc/store/contract'
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
    for (const { told, table, recordId, where: also, open } of data.keeps(resource)) {
      if (told === undefined) continue
      const keys = recordId.kind === 'integer' ? ids.map(Number) : ids
      for (let at = 0; at < keys.length; at += PORTION) {
        const among: Condition = { op: 'in', column: recordId, values: keys.slice(at, at + PORTION) }
        const where: Condition = also === undefined ? among : { op: 'and', of: [among, also] }
        const order = table.primaryKey.map((column) => ({ column, descending: false }))
        const rows = await reader.select({ table, columns: table.columns, where, order })
        for (const row of rows) found[told].push({ resource: resource.name, ...(open?.(row) ?? row) })
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
