import type { Neighbours } from '@svc/expression/contract'
import { type Row, type SelectPlan, TEXT, type Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'
import { presentRecord } from '../present/record.ts'

/** How records that are included are read, and what becomes of them. */
export interface Form<T> {
  /** What is read of records of which the caller is shown `fields`. */
  reads(access: Access, fields: readonly Field[]): Pick<SelectPlan, 'columns' | 'text'>
  /** `neighbours` are what `access.reachOf(fields)` asks for. */
  one(record: Row, access: Access, fields: readonly Field[], neighbours: Neighbours | undefined): T
  list(records: readonly T[]): T
  value(value: Value): T
}

/** As values, for records that are values themselves. */
export const VALUES: Form<Value> = {
  reads: (access, fields) => ({ columns: access.columns(fields) }),
  one: (record, access, fields, neighbours) => presentRecord(record, fields, access, neighbours),
  list: (records) => records,
  value: (value) => value,
}

/** As JSON text, read as such where the caller sees records as they are stored. */
export const TEXTS: Form<string> = {
  reads(access, fields) {
    const text = access.exactColumns(fields)
    return text === undefined ? VALUES.reads(access, fields) : { columns: [], text }
  },
  one(record, access, fields, neighbours) {
    const text = record[TEXT]
    return typeof text === 'string' ? text : JSON.stringify(presentRecord(record, fields, access, neighbours))
  },
  list: (records) => `[${records.join(',')}]`,
  value: (value) => JSON.stringify(value),
}
