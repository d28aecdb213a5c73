import { AsyncLocalStorage } from 'node:async_hooks'
import { scriptingErrors } from './errors.ts'
import { LIMITS } from './limits.ts'

/** How a handler came to run: how deep what it does is, and how many the first event has set off in all. */
export interface Chain {
  readonly depth: number
  readonly all: { runs: number }
}

const chains = new AsyncLocalStorage<Chain>()

/**
 * The chain of a handler that an event is about to run, which says itself how deep it is where others than scripts have
 * brought it about, too. Throws SCRIPT_TOO_DEEP where it would not end.
 */
export function nextChain(event: object): Chain {
  const { depth: own, all } = chains.getStore() ?? { depth: 0, all: { runs: 0 } }
  const depth = Math.max(own, depthOf(event))
  all.runs += 1
  if (depth >= LIMITS.depth || all.runs > LIMITS.runs) throw scriptingErrors.SCRIPT_TOO_DEEP()
  return { depth: depth + 1, all }
}

const depthOf = (event: object): number =>
  'depth' in event && typeof event.depth === 'number' ? event.depth : 0

/** Runs what a handler does to the world, so that the handlers that hear of it know where they come from. */
export const within = <T>(chain: Chain, work: () => T): T => chains.run(chain, work)
