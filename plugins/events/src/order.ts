import type { Column, Condition } from '@svc/store/contract'
import { ONE_BATCH, type Place } from './place.ts'

type Columns = Readonly<Record<keyof Place, Column>>

/**
 * The rows whose place, in these columns, stands behind another. Without a place there they are none of them. An index of both
 * columns begins where they do: behind the one batch of an ordered store there is none, and elsewhere the batch alone is a
 * bound besides.
 */
export const isAfter = ({ batch, number }: Place, columns: Columns): Condition =>
  batch === ONE_BATCH
    ? { op: 'and', of: [{ op: 'eq', column: columns.batch, value: batch }, isBehind(number, columns)] }
    : {
        op: 'and',
        of: [
          { op: 'gte', column: columns.batch, value: batch },
          { op: 'or', of: [{ op: 'gt', column: columns.batch, value: batch }, isBehind(number, columns)] },
        ],
      }

/** Those of them that do not stand behind a further place, where the index ends. */
export const isBetween = (after: Place, upTo: Place, columns: Columns): Condition => {
  const { batch, number } = upTo
  const upToNumber: Condition = { op: 'lte', column: columns.number, value: number }
  if (after.batch === batch) {
    const inBatch: Condition = { op: 'eq', column: columns.batch, value: batch }
    return { op: 'and', of: [inBatch, isBehind(after.number, columns), upToNumber] }
  }
  return {
    op: 'and',
    of: [
      isAfter(after, columns),
      { op: 'lte', column: columns.batch, value: batch },
      { op: 'or', of: [{ op: 'lt', column: columns.batch, value: batch }, upToNumber] },
    ],
  }
}

const isBehind = (number: number, columns: Columns): Condition => ({
  op: 'gt',
  column: columns.number,
  value: number,
})
