import type { Schedule } from '../schedule.ts'

/** How many records one piece of work fires, each in a transaction of its own. */
const SINGLES = 50
/** How many records are at most in one batch. */
export const BATCH = 1000

/** How many records a piece of work of a schedule has. */
export const portionOf = ({ batched }: Pick<Schedule, 'batched'>): number => (batched ? BATCH : SINGLES)

/** Shares keys out among pieces of work. */
export function portions(schedule: Schedule, keys: readonly string[]): readonly (readonly string[])[] {
  const size = portionOf(schedule)
  const shares: (readonly string[])[] = []
  for (let at = 0; at < keys.length; at += size) shares.push(keys.slice(at, at + size))
  return shares
}
