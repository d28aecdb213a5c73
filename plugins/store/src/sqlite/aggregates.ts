import type { ExactSum } from '../exact-sum.ts'
import { functionName } from './functions.ts'

/** What every connection works out over the rows of a group, by its name in SQL. */
export const SQLITE_AGGREGATES: ReadonlyMap<string, (sum: ExactSum) => number | null> = new Map([
  [functionName('sum'), ({ value }: ExactSum) => value],
  [functionName('average'), ({ average }: ExactSum) => average],
])

/** Adds what is no null. */
export function step(sum: ExactSum, number: unknown): void {
  if (typeof number === 'number') sum.add(number)
}
