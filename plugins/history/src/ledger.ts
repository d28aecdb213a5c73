import { boundedName, type Former, type Kept, type Resource } from '@svc/domain/contract'
import { column, type Column, type Order, type Row, type Table } from '@svc/store/contract'
import type { Defined } from './sealed.ts'

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

/** What is written in place of an entry: one without values, and one as another definition keeps it. */
interface Rewriting {
  readonly redact: NonNullable<Kept['redact']>
  readonly open: (row: Row, of: Defined) => Row
  readonly reseal: (row: Row, from: Former, to: Defined) => Row
}

/** A ledger as whoever owes an account of a record finds it: the columns of these names hold values of the record. */
export const keptIn = (
  { table, recordId, ...to }: Defined & { readonly table: Table; readonly recordId: Column },
  told: Exclude<Kept['told'], undefined>,
  names: readonly string[],
  { redact, open, reseal }: Rewriting,
): Kept => ({
  redact,
  told,
  table,
  recordId,
  values: table.columns.filter(({ name }) => names.includes(name)),
  open: (row) => ({ ...row, ...open(row, to) }),
  reseal: (row, from) => reseal(row, from, to),
})
