import type { Condition, Reader, Row, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { neighboursOf } from '../reach/neighbours.ts'

/** Whether each of some records, as they are or as they were, may be listed; `unknown` where that is asked of a stored row that is gone. */
export async function listable(
  access: Access,
  records: readonly Row[],
  reader: Reader,
): Promise<readonly (boolean | 'unknown')[]> {
  if (records.length === 0 || access.rowsIfAny('list') === undefined) return records.map(() => false)
  const neighbours = await neighboursOf(records, access.reaching('list'), {
    reader,
    access,
    rights: 'author',
  })
  const may = records.map((record, at) => access.mayTouch('list', record, neighbours[at]))
  const left = access.left('list')
  if (left.length === 0) return may
  const keyColumn = access.resource.key.column!
  const keyOf = (record: Row) => record[keyColumn.name] as Exclude<Value, null>
  const among: Condition = { op: 'in', column: keyColumn, values: [...new Set(records.map(keyOf))] }
  const keys = async (where: readonly Condition[]) => {
    const plan = { table: access.resource.table, columns: [keyColumn], order: [] }
    const rows = await reader.select({ ...plan, where: { op: 'and', of: [among, ...where] } })
    return new Set(rows.map((row) => row[keyColumn.name]))
  }
  const [there, open] = await Promise.all([keys([]), keys(left)])
  return may.map((one, at) => {
    const key = keyOf(records[at]!)
    return one && (open.has(key) || (there.has(key) ? false : 'unknown'))
  })
}
