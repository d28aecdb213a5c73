import type { Resource } from '@svc/domain/contract'
import type { Column, Condition, Reader, Row, Value } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import type { RetentionEntry } from '../compile/retention.ts'
import { momentOf } from '../erase/holds.ts'
import { PORTION } from '../subjects/find.ts'
import { lineageOf } from '../subjects/records.ts'

/** From when the time of an entry counts for records, by their keys; absent where nothing tells. */
export async function momentsOf(
  since: RetentionEntry['since'],
  resource: Resource,
  rows: readonly Row[],
  privacy: Privacy,
  reader: Reader,
): Promise<ReadonlyMap<Value, number>> {
  const found = new Map<Value, number>()
  for (const row of rows) {
    const at = momentOf(since, resource, row)
    if (at !== undefined) found.set(row[resource.key.name] ?? null, at)
  }
  if (since.kind === 'lastActivity') await addActivity(found, resource, rows, privacy, reader)
  return found
}

interface Place {
  readonly resource: Resource
  readonly key: Value
}

/** What leads to a record is activity of it, however long the chain. */
async function addActivity(
  found: Map<Value, number>,
  resource: Resource,
  rows: readonly Row[],
  privacy: Privacy,
  reader: Reader,
): Promise<void> {
  const seen = new Set<string>()
  let frontier = rows.map((row) => {
    const key = row[resource.key.name] ?? null
    return { resource, key, root: key }
  })
  while (frontier.length > 0) {
    const next: (Place & { readonly root: Value })[] = []
    for (const { from, column, to } of edgesOf(privacy)) {
      const reached = frontier.filter((one) => one.resource === to)
      for (let at = 0; at < reached.length; at += PORTION) {
        const some = reached.slice(at, at + PORTION)
        const values = [...new Set(some.map(({ key }) => key))].filter((key) => key !== null)
        const where: Condition = { op: 'in', column, values }
        const leading = await reader.select({
          table: from.table,
          columns: from.columns,
          where,
          order: [],
        })
        for (const row of leading) {
          const key = row[from.key.name] ?? null
          for (const { root } of some.filter((one) => one.key === row[column.name])) {
            const place = `${from.name}\n${String(key)}\n${String(root)}`
            if (seen.has(place) || (from === resource && key === root)) continue
            seen.add(place)
            next.push({ resource: from, key, root })
            const moment = momentOf({ kind: 'lastActivity' }, from, row)
            const known = found.get(root)
            if (moment !== undefined && known !== undefined && moment > known) found.set(root, moment)
          }
        }
      }
    }
    frontier = next
  }
}

interface Edge {
  readonly from: Resource
  readonly column: Column
  readonly to: Resource
}

const edgesOf = (privacy: Privacy): readonly Edge[] =>
  [...privacy.model.resources.values()].flatMap((from) =>
    lineageOf(privacy, from).flatMap(({ foreignKey, target }) => {
      const column = from.fields.get(foreignKey)?.column
      const to = target.kind === 'resource' ? privacy.model.resources.get(target.name) : undefined
      return column && to ? [{ from, column, to }] : []
    }),
  )
