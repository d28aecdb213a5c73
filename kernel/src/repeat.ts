import type { Logger } from './log.ts'

/** What is done in the background again and again. */
export interface Repeated {
  /** The pause between two runs, in milliseconds; a function is asked for each, so that servers do not run together. */
  readonly everyMs: number | (() => number)
  /** The pause before the first run, in milliseconds: as long as any other and a minute at most, unless said; 0 begins at once. */
  readonly firstMs?: number
  readonly log: Logger
  /** The event by which a run that failed is logged; the next one comes all the same. */
  readonly failure: string
}

/** The first run comes when the rush of a start is over, and soon: a server may never be up for a whole period. */
const LONGEST_FIRST_MS = 60_000
/** A timer that is set for longer runs at once. */
const LONGEST_MS = 2 ** 31 - 1
/** The pause where nobody can say how long it is. */
const UNKNOWN_MS = 60_000

/**
 * Runs `work` now and then, one run after the other, and keeps no process alive. What it returns ends that: the signal of
 * a run under way is aborted, and the run is waited for. Made for `onOpen`, so that it ends with its plugin.
 */
export function repeat(
  work: (signal: AbortSignal) => unknown,
  { everyMs, firstMs, log, failure }: Repeated,
): () => Promise<void> {
  const asked = typeof everyMs === 'number' ? () => everyMs : everyMs
  const ending = new AbortController()
  const { signal } = ending
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  const pause = (): number => {
    try {
      return Math.min(asked(), LONGEST_MS)
    } catch (error) {
      log.error({ err: error }, failure)
      return UNKNOWN_MS
    }
  }
  const once = async (): Promise<void> => {
    try {
      await work(signal)
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, failure)
    }
    if (!signal.aborted) schedule(pause())
  }
  const begin = () => void (running = once())
  const schedule = (delayMs: number) => void (timer = setTimeout(begin, delayMs).unref())

  if (firstMs === 0) begin()
  else schedule(firstMs ?? Math.min(pause(), LONGEST_FIRST_MS))
  return async () => {
    ending.abort()
    clearTimeout(timer)
    await running
  }
}
