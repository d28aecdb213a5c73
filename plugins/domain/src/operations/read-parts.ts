import type { Condition, Reader, Row, SelectPlan } from '@svc/store/contract'
import { allOf } from '../query/live.ts'

/** The first `count` rows of parts that follow one another. */
export async function readParts(
  select: SelectPlan,
  parts: readonly Condition[],
  count: number,
  reader: Reader,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const part of parts) {
    const where = allOf([select.where, part])
    rows.push(...(await reader.select({ ...select, where, limit: count - rows.length })))
    if (rows.length === count) break
  }
  return rows
}
