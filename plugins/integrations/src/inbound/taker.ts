import { setTimeout as pause } from 'node:timers/promises'
import { isOutOfReach } from '@svc/automation/contract'
import type { Means } from '../run/means.ts'
import { type Delivered, MOST_AT_ONCE, type Take, type Verdict } from './consumer.ts'
import { type Consuming, deliver, deliverTogether } from './deliver.ts'

/** How long a message waits for a store that is out of reach, in milliseconds. */
const OUT_OF_REACH_MS = 1000

/**
 * Takes messages of a consumer: those that wait take effect together, in one transaction, since a commit costs the same for one as for
 * many. Where that fails nothing has happened, and each of them is taken by itself: which of them is at fault shows then. The next ones
 * are fewer, and as many as before once that goes well.
 */
export function takerOf(consuming: Consuming, means: Means): Take {
  let most = consuming.consumer.isGathered ? MOST_AT_ONCE : 1
  /** How many are taken by themselves before several are again. */
  let apart = 0

  const together = async (
    all: readonly Delivered[],
    signal: AbortSignal,
  ): Promise<readonly Verdict[] | undefined> => {
    try {
      const verdicts = await deliverTogether(all, consuming, means, signal)
      if (verdicts !== undefined) most = Math.min(MOST_AT_ONCE, most * 2)
      return verdicts
    } catch (error) {
      signal.throwIfAborted()
      if (isOutOfReach(error)) throw error
      return undefined
    }
  }
  const takeSome = async (
    waiting: readonly Delivered[],
    signal: AbortSignal,
  ): Promise<readonly Verdict[]> => {
    const [first, ...others] = waiting.slice(0, most)
    if (first === undefined) return []
    if (others.length > 0 && apart === 0) {
      const verdicts = await together([first, ...others], signal)
      if (verdicts !== undefined) return verdicts
      apart = others.length + 1
      most = Math.max(2, Math.floor(apart / 2))
    }
    const verdict = await deliver(first, consuming, means, signal)
    apart = Math.max(0, apart - 1)
    return [verdict]
  }

  return async (waiting, signal) => {
    for (;;) {
      signal.throwIfAborted()
      try {
        return await takeSome(waiting, signal)
      } catch (error) {
        if (!isOutOfReach(error)) throw error
        await pause(OUT_OF_REACH_MS, undefined, { signal })
      }
    }
  }
}
