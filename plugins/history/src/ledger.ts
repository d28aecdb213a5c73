import { boundedName, type Kept, type Resource } from '@svc/domain/contract'
import { column, type Column, type Order, type Table } from '@svc/store/contract'

/** The column with the key of the record that an entry is about. */
export const recordIdOf = ({ key }: Resource): Column => column('recordId', key.column!.kind)

/** The name of a resource's table for entries of a kind: `shop_order__audit`. */
export const ledgerName = ({ table }: Resource, kind: string): string => boundedName([table.name, kind])

export const ID: Column = column('id', 'uuid')
export const TIMESTAMP: Column = column('timestamp', 'datetime')

/** A table whose entries lie together by record, each with a time and an id that ascends. */
export function timedTable(name: string, recordId: Column, columns: readonly Column[]): Table {
  const byTime = { name: boundedName([name, 'timestamp', 'idx']), columns: [TIMESTAMP, ID], unique: false }
  return Object.freeze({
    name,
    columns: [ID, recordId, TIMESTAMP, ...columns],
    primaryKey: [recordId, ID],
    indexes: [byTime],
    foreignKeys: [],
  })
}

/** The newest entries first; of one record in the very order of the writes. */
export const newestFirst = (ofOneRecord: boolean): readonly Order[] =>
  (ofOneRecord ? [ID] : [TIMESTAMP, ID]).map((one) => ({ column: one, descending: true }))

/** A ledger as whoever owes an account of a record finds it: the columns of these names hold values of the record. */
export const keptIn = (
  { table, recordId }: { readonly table: Table; readonly recordId: Column },
  names: readonly string[],
): Kept => ({ table, recordId, values: table.columns.filter(({ name }) => names.includes(name)) })
