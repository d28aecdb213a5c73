import type { Condition, Reader, Row, SelectPlan } from '@svc/store/contract'
import { partsAfter, positionOf } from '../query/cursor.ts'
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

/**
 * Every row of a select that reads what it is sorted by, `size` at a time. Each time begins behind the last row of the
 * time before, so a slow reader holds neither a connection nor a transaction; a row that is written meanwhile is read
 * as it is when its turn comes.
 */
export async function* walk(
  select: SelectPlan,
  size: number,
  reader: Reader,
): AsyncGenerator<readonly Row[]> {
  let parts: readonly Condition[] = [{ op: 'always' }]
  for (;;) {
    const rows = await readParts(select, parts, size, reader)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) return
    parts = partsAfter(positionOf(last, select.order), select.order)
  }
}
