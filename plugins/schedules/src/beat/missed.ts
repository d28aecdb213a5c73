import type { Recurrence } from '../recurrence/recurrence.ts'

/** Where a recurrence is asked. */
export interface Asking {
  readonly zone: string
  /** When its text was submitted first, in milliseconds since 1970. */
  readonly since: number
}

/**
 * The latest occurrences, `most` of them at most and in their order, from `first`, which is one, up to `now`. However long
 * nobody has looked, it costs about as much as it answers.
 */
export function latestUpTo(
  recurrence: Recurrence,
  { zone, since }: Asking,
  { first, now, most }: { readonly first: number; readonly now: number; readonly most: number },
): readonly number[] {
  for (let back = 1000; ; back *= 2) {
    const isAll = now - back < first
    const from = isAll ? first - 1 : now - back
    const found: number[] = []
    for (let next = recurrence.next(from, zone, since); next !== undefined && next <= now;) {
      found.push(next)
      next = recurrence.next(next, zone, since)
    }
    if (isAll || found.length >= most) return found.slice(-most)
  }
}
