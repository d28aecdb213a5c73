import { addDuration } from '@svc/automation/contract'
import type { Resource } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition, Reader, Row } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import type { RetentionEntry } from '../compile/retention.ts'
import { PORTION } from '../subjects/find.ts'
import { placeOf } from './referrers.ts'

/** The holds in force on records, by their place. */
export async function holdsOn(
  records: readonly { readonly resource: Resource; readonly row: Row }[],
  { retention }: Privacy,
  reader: Reader,
  now: number,
): Promise<ReadonlyMap<string, readonly RetentionEntry[]>> {
  const found = new Map<string, RetentionEntry[]>()
  for (const entry of retention.filter(({ hold }) => hold))
    for (const [resource, condition] of entry.resources) {
      const rows = records.filter((one) => one.resource === resource).map(({ row }) => row)
      const timed = rows.filter((row) => isBefore(entry, resource, row, now))
      const held =
        condition === undefined
          ? timed
          : await holding(
              resource,
              timed,
              condition.rows({ user: SYSTEM, rowsOf: 'author', now: () => now }),
              reader,
            )
      for (const row of held) {
        const place = placeOf(resource, row)
        found.set(place, [...(found.get(place) ?? []), entry])
      }
    }
  return found
}

async function holding(
  resource: Resource,
  rows: readonly Row[],
  condition: Condition,
  reader: Reader,
): Promise<readonly Row[]> {
  const column = resource.key.column!
  const ids = new Set<string>()
  for (let at = 0; at < rows.length; at += PORTION) {
    const values = rows.slice(at, at + PORTION).map((row) => row[column.name]!)
    const where: Condition = { op: 'and', of: [{ op: 'in', column, values }, condition] }
    const met = await reader.select({ table: resource.table, columns: [column], where, order: [] })
    for (const row of met) ids.add(String(row[column.name]))
  }
  return rows.filter((row) => ids.has(String(row[column.name])))
}

/** Whether the time of an entry is not over yet; without a duration it never is. */
function isBefore({ duration, since }: RetentionEntry, resource: Resource, row: Row, now: number): boolean {
  if (duration === undefined) return true
  const from = momentOf(since, resource, row)
  if (from === undefined) return true
  return addDuration(from, duration) > now
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/

/** From when the time of an entry counts for a record; undefined where nothing tells. */
export function momentOf(since: RetentionEntry['since'], resource: Resource, row: Row): number | undefined {
  const at = (name: string): number | undefined => {
    const value = row[name]
    return typeof value === 'string' ? Date.parse(value) : undefined
  }
  if (since.kind === 'field') return at(since.field)
  const created = at('createdAt') ?? timeOf(String(row[resource.key.name]))
  if (since.kind === 'recordCreation') return created
  const moments = [created, at('updatedAt')].filter((one) => one !== undefined)
  return moments.length === 0 ? undefined : Math.max(...moments)
}

/** The time in a UUID of version 7 (RFC 9562). */
const timeOf = (key: string): number | undefined =>
  UUID_V7.test(key) ? Number.parseInt(key.replaceAll('-', '').slice(0, 12), 16) : undefined
