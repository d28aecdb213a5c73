import { errors } from '@svc/kernel'
import type { Row, SelectPlan } from './plan.ts'

/** Some of the rows of a long read. */
export interface Part<Rows extends readonly Row[] = readonly Row[]> {
  readonly rows: Rows
  /** How many characters they have together. */
  readonly length: number
  /** Whether no more come after them. */
  readonly isLast: boolean
}

/**
 * What the rows of a part have together at most, in characters, but for one that has more by itself: while they are read
 * everybody else waits, and they are in memory all at once.
 */
export const PART_LENGTH = 500_000

/**
 * What the rows of one answer have together at most, in characters: they are in memory all at once, and a query that asks for
 * more than there is room for must not end the process.
 */
export const MOST_LENGTH = 64_000_000

/** Throws INVALID_QUERY where rows of so many characters are more than one answer has. */
export function assertFits(length: number): void {
  if (length > MOST_LENGTH) throw tooLong()
}

export const tooLong = () =>
  errors.INVALID_QUERY({
    message: `What is asked for has more than ${MOST_LENGTH / 1_000_000} million characters: ask for fewer records, as by 'limit', or for fewer of their fields`,
  })

/** So many rows are never too long: a body has a largest size, and so has what came with it. */
const FEW = 100

/** Whether a plan may answer so many rows that it is looked how long they are. */
export const isMany = ({ limit }: SelectPlan): boolean => limit === undefined || limit > FEW

/** What any other value counts as. */
const SHORT = 8

/** About how many characters the values of a row have, as they are kept. */
export function lengthOf(row: Row): number {
  let length = 0
  for (const value of Object.values(row)) {
    if (typeof value === 'string') length += value.length
    else if (typeof value === 'object' && value !== null) length += JSON.stringify(value).length
    else length += SHORT
  }
  return length
}
