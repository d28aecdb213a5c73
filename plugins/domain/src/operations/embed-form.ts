import type { Neighbours } from '@svc/expression/contract'
import { type Row, type SelectPlan, TEXT, type Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { presentRecord } from '../present/record.ts'

/** How records that are included are read, and what becomes of them. */
export interface Form<T> {
  /** What is read of the records that the caller is shown by `access`. */
  reads(access: Access): Pick<SelectPlan, 'columns' | 'text'>
  /** `neighbours` are what `access.reachOf(access.shown)` asks for. */
  one(record: Row, access: Access, neighbours: Neighbours | undefined): T
  list(records: readonly T[]): T
  value(value: Value): T
}

/** As values, for records that are values themselves. */
export const VALUES: Form<Value> = {
  reads: (access) => ({ columns: access.columns(access.shown) }),
  one: (record, access, neighbours) => presentRecord(record, access.shown, access, neighbours),
  list: (records) => records,
  value: (value) => value,
}

/** As JSON text, read as such where the caller sees records as they are stored. */
export const TEXTS: Form<string> = {
  reads(access) {
    const text = access.exactColumns(access.shown)
    return text === undefined ? VALUES.reads(access) : { columns: [], text }
  },
  one(record, access, neighbours) {
    const text = record[TEXT]
    return typeof text === 'string'
      ? text
      : JSON.stringify(presentRecord(record, access.shown, access, neighbours))
  },
  list: (records) => `[${records.join(',')}]`,
  value: (value) => JSON.stringify(value),
}
