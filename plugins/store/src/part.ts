import type { Row } from './plan.ts'

/** Some of the rows of a long read. */
export interface Part<Rows extends readonly Row[] = readonly Row[]> {
  readonly rows: Rows
  /** Whether no more come after them. */
  readonly isLast: boolean
}

/**
 * What the rows of a part have together at most, in characters, but for one that has more by itself: while they are read
 * everybody else waits, and they are in memory all at once.
 */
export const PART_LENGTH = 500_000

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
