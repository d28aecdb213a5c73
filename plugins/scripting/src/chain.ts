import { AsyncLocalStorage } from 'node:async_hooks'
import { scriptingErrors } from './errors.ts'
import { LIMITS } from './limits.ts'

/** How a handler came to run: by how many others, and how many the first event has set off in all. */
export interface Chain {
  readonly depth: number
  readonly all: { runs: number }
}

const chains = new AsyncLocalStorage<Chain>()

/** The chain of a handler that the present event is about to run. Throws SCRIPT_TOO_DEEP where it would not end. */
export function nextChain(): Chain {
  const { depth, all } = chains.getStore() ?? { depth: 0, all: { runs: 0 } }
  all.runs += 1
  if (depth >= LIMITS.depth || all.runs > LIMITS.runs) throw scriptingErrors.SCRIPT_TOO_DEEP()
  return { depth: depth + 1, all }
}

/** Runs what a handler does to the world, so that the handlers that hear of it know where they come from. */
export const within = <T>(chain: Chain, work: () => T): T => chains.run(chain, work)
