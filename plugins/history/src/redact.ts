import type { Erasure, Writes } from '@svc/domain/contract'
import type { Column, Condition, Row, Table } from '@svc/store/contract'

/** Rewrites the entries about one record of which `change` makes something else. */
export async function rewriteEntries(
  { table, recordId }: { readonly table: Table; readonly recordId: Column },
  id: Column,
  { key }: Erasure,
  writes: Writes,
  change: (row: Row) => Row | undefined,
): Promise<void> {
  const about: Condition = { op: 'eq', column: recordId, value: key }
  const rows = await writes.select({ table, columns: table.columns, where: about, order: [] })
  for (const row of rows) {
    const set = change(row)
    if (set === undefined) continue
    const where: Condition = { op: 'and', of: [about, { op: 'eq', column: id, value: row[id.name]! }] }
    await writes.update({ table, set, where })
  }
}
