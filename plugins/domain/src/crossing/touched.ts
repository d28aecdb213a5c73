import type { Row, Transaction, Value } from '@svc/store/contract'
import { deriveFrom } from '../model/derived.ts'
import type { ComputedField } from '../model/field.ts'
import { overrideName } from '../model/override.ts'
import type { Resource } from '../model/resource.ts'
import { isSame } from './dependents.ts'
import type { Unit } from './graph.ts'

export type Key = Exclude<Value, null>

/** A record that was looked at for what it depends on. */
export interface Touched {
  readonly resource: Resource
  readonly key: Key
  /** As it was, and as it is by now. */
  readonly before: Row
  row: Row
  /** The fields that have another value by now. */
  readonly changed: Set<string>
}

/** Whether a formula that counts for a record reads, in that record, what has changed. */
export function readsChanged({ row, changed }: Touched, { formulas }: Unit): boolean {
  if (changed.size === 0) return false
  return formulas.some(
    ({ field, own, reads }) =>
      (row[overrideName(field.name)] ?? null) === (own ?? null) &&
      [...reads].some((name) => changed.has(name)),
  )
}

export function changedValues(before: Row, after: Row, fields: readonly ComputedField[]): Row {
  const changed = fields.filter(({ name }) => !isSame(before[name] ?? null, after[name] ?? null))
  return Object.fromEntries(changed.map(({ name }) => [name, after[name] ?? null]))
}

/** Stores values behind all steps, in one statement where they are alike: whoever reads them next finds them. */
export async function storeRaw(
  { table, key, derived }: Resource,
  fields: readonly ComputedField[],
  records: readonly Touched[],
  transaction: Transaction,
): Promise<void> {
  const [first] = records
  if (first === undefined) return
  const sets = records.map(({ row }): Row => {
    const values = Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null]))
    return { ...values, ...deriveFrom(values, derived) }
  })
  const [set] = sets
  const isAlike = fields.every(({ name }) =>
    records.every(({ row }) => isSame(row[name] ?? null, set![name] ?? null)),
  )
  if (isAlike) {
    const where = { op: 'in', column: key.column!, values: records.map((one) => one.key) } as const
    await transaction.update({ table, set: set!, where })
  } else {
    const rows = sets.map((one, at): Row => ({ [key.name]: records[at]!.key, ...one }))
    await transaction.updateRows({ table, rows })
  }
}
