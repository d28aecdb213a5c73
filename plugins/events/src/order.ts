import type { Column, Condition } from '@svc/store/contract'
import type { Place } from './place.ts'

/**
 * The rows whose place, in these columns, stands behind another. Without a place there they are none of them. The batch alone
 * is a bound besides, by which an index begins where they do.
 */
export const isAfter = (
  { batch, number }: Place,
  columns: Readonly<Record<keyof Place, Column>>,
): Condition => ({
  op: 'and',
  of: [
    { op: 'gte', column: columns.batch, value: batch },
    {
      op: 'or',
      of: [
        { op: 'gt', column: columns.batch, value: batch },
        { op: 'gt', column: columns.number, value: number },
      ],
    },
  ],
})
