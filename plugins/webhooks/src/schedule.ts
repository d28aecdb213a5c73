const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pauses before each further attempt, in milliseconds; after the last one a delivery has failed. */
export const DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
]

/**
 * When the next attempt is due after so many failed ones, in milliseconds from now: up to a tenth later than its pause, by
 * `chance` (0 to 1), and not before `afterMs`. Undefined where there is none.
 */
export function pauseAfter(failures: number, chance: number, afterMs = 0): number | undefined {
  const delay = DELAYS_MS[failures - 1]
  return delay === undefined ? undefined : Math.max(Math.round(delay * (1 + chance / 10)), afterMs)
}
