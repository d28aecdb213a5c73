/** How much the newest time counts against those before it. */
const NEWEST = 0.1
/** What was measured longer ago, in milliseconds, says nothing of a server that may have had more to do then. */
const FRESH_MS = 5000

/** How long one hash takes, in milliseconds. */
export interface HashCost {
  /** As things are. */
  readonly usual: number
  /** At best. */
  readonly least: number
}

/** Makes the book of what hashes take, which knows nothing until the first is noted. */
export function createHashCost(): HashCost & { note(tookMs: number): void } {
  let least = Infinity
  let usual = Infinity
  let notedAt = 0
  const isFresh = () => performance.now() - notedAt < FRESH_MS
  return {
    get least() {
      return least
    },
    get usual() {
      return isFresh() ? usual : least
    },
    note(tookMs) {
      usual = isFresh() && usual !== Infinity ? usual + (tookMs - usual) * NEWEST : tookMs
      least = Math.min(least, tookMs)
      notedAt = performance.now()
    },
  }
}
