import type { Column, Condition } from '@svc/store/contract'
import type { Place } from './contract.ts'

/** The rows whose place, in these columns, stands behind another. Without a place there they are none of them. */
export const isAfter = (
  { batch, number }: Place,
  columns: Readonly<Record<keyof Place, Column>>,
): Condition => ({
  op: 'or',
  of: [
    { op: 'gt', column: columns.batch, value: batch },
    {
      op: 'and',
      of: [
        { op: 'eq', column: columns.batch, value: batch },
        { op: 'gt', column: columns.number, value: number },
      ],
    },
  ],
})
