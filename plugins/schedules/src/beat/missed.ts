import type { Recurrence } from '@svc/automation/contract'
import type { Transaction } from '@svc/store/contract'
import type { Schedule } from '../schedule.ts'
import { momentText, type Setting } from '../setting.ts'

/** How many missed occurrences are made up for at most. */
const MOST_MISSED = 100

/** What of a schedule may have been missed, in milliseconds since 1970. */
export interface Missed {
  /** The first occurrence that nobody has seen to. */
  readonly first: number
  /** Up to when occurrences count. */
  readonly until: number
  readonly now: number
  /** When the text of the schedule was submitted first. */
  readonly since: number
  readonly heartbeatMs: number
}

/** The occurrences that are to be made up for, in their order. */
export function missedBy(
  { timing, zone }: Schedule,
  { first, until, now, since, heartbeatMs }: Missed,
): readonly string[] {
  if (timing.kind !== 'recurring') return []
  const { recurrence, catchUp } = timing
  const most = catchUp === 'all' ? MOST_MISSED : 1
  const missed = latestUpTo(recurrence, { zone, since }, { first, now: until, most })
  return missed.filter((at) => catchUp !== 'none' || now - at <= 2 * heartbeatMs).map(momentText)
}

/** Puts the work of occurrences, where there are any. */
export async function putOccurrences(
  transaction: Transaction,
  { name }: Schedule,
  planned: readonly string[],
  { model, works }: Pick<Setting, 'model' | 'works'>,
): Promise<void> {
  if (planned.length === 0) return
  const work = {
    domain: model.name,
    schedule: name,
    planned: [...planned],
    after: null,
    only: null,
    run: null,
  }
  await works.occur.put(transaction, work)
}

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
