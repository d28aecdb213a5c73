import type { ErasedValues, Erasure, Writes } from '@svc/domain/contract'
import type { Column, Condition, Row, Table } from '@svc/store/contract'

/** Rewrites the entries about some records of which `change` makes something else. */
export async function rewriteEntries(
  { table, recordId }: { readonly table: Table; readonly recordId: Column },
  { records }: Pick<Erasure, 'records'>,
  writes: Writes,
  change: (row: Row, of: ErasedValues) => Row | undefined,
): Promise<void> {
  const erased = new Map(records.map((one) => [String(one.key), one]))
  const about: Condition = { op: 'in', column: recordId, values: records.map(({ key }) => key) }
  const entries = await writes.select({ table, columns: table.columns, where: about, order: [] })
  const rows = entries.flatMap((row): readonly Row[] => {
    const of = erased.get(String(row[recordId.name]))
    const set = of && change(row, of)
    return set === undefined ? [] : [{ ...keyOf(row, table), ...set }]
  })
  await writes.updateRows({ table, rows })
}

const keyOf = (row: Row, { primaryKey }: Table): Row =>
  Object.fromEntries(primaryKey.map(({ name }) => [name, row[name] ?? null]))
