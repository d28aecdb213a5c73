import type { Condition, Reader } from '@svc/store/contract'
import { ENTRY, type Tables } from '../tables.ts'

/** The entries of erases and sweeps of which the files of the database may have something still. */
export async function unscrubbed({ log }: Tables, reader: Reader): Promise<readonly string[]> {
  const of: readonly Condition[] = [
    { op: 'null', column: ENTRY.scrubbedAt },
    { op: 'in', column: ENTRY.action, values: ['erase', 'sweep'] },
    { op: 'eq', column: ENTRY.outcome, value: 'done' },
  ]
  const rows = await reader.select({ table: log, columns: [ENTRY.id], where: { op: 'and', of }, order: [] })
  return rows.map(({ id }) => String(id))
}
