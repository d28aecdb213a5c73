import type { Resource } from '@svc/domain/contract'
import type { Reader, Row, SelectPlan, Value } from '@svc/store/contract'

/** Reads a record as it is stored; undefined where there is none of the key. */
export type ReadStored = (resource: Resource, key: Exclude<Value, null>) => Promise<Row | undefined>

export const storedBy =
  (reader: Reader, lock?: SelectPlan['lock']): ReadStored =>
  async ({ table, fields, key }, value) => {
    const columns = [...fields.values()].flatMap(({ column }) => column ?? [])
    const where = { op: 'eq', column: key.column!, value } as const
    const [row] = await reader.select({ table, columns, where, order: [], limit: 1, ...(lock && { lock }) })
    return row
  }
