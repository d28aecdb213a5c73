import { type Data, type Field, type Kept, referredBy, type Resource } from '@svc/domain/contract'
import type { Condition, Order, Reader, Row, Value } from '@svc/store/contract'
import { PORTION } from './find.ts'
import type { SubjectRecords } from './records.ts'

/** What is kept beside records and told of them. */
export const TOLD = ['audit', 'versions', 'history', 'documents', 'notifications'] as const
export type Told = (typeof TOLD)[number]

/** Keys of records that are gone, of which ledgers may tell. */
type Past = ReadonlyMap<Resource, readonly string[]>

interface Reading {
  readonly data: Data
  /** That of `data` unless said. */
  readonly reader?: Reader
  order?(kept: Kept): readonly Order[]
}

/** The rows of some kinds that are kept of records, with what is sealed in them opened. */
export async function* keptBeside(
  kinds: readonly Told[],
  records: ReadonlyMap<Resource, ReadonlyMap<string, Row>>,
  past: Past,
  { data, reader = data.reader, order }: Reading,
): AsyncIterable<{ readonly told: Told; readonly resource: Resource; readonly row: Row }> {
  for (const resource of data.model.resources.values()) {
    const ids = [...(records.get(resource)?.keys() ?? []), ...(past.get(resource) ?? [])]
    if (ids.length === 0) continue
    for (const kept of data.keeps(resource)) {
      const { told, table, recordId, where: also, open } = kept
      if (told === undefined || !kinds.includes(told)) continue
      const keys = recordId.kind === 'integer' ? ids.map(Number) : ids
      for (let at = 0; at < keys.length; at += PORTION) {
        const among: Condition = { op: 'in', column: recordId, values: keys.slice(at, at + PORTION) }
        const where: Condition = also === undefined ? among : { op: 'and', of: [among, also] }
        const rows = await reader.select({ table, columns: table.columns, where, order: order?.(kept) ?? [] })
        for (const row of rows) yield { told, resource, row: open?.(row) ?? row }
      }
    }
  }
}

/** The ids of media that records refer to by those of their fields that are shown. */
export const mediaOf = (
  records: SubjectRecords,
  shown: (resource: Resource) => readonly Field[],
): readonly Row[] =>
  [...records].flatMap(([resource, rows]) => {
    const fields = shown(resource)
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
