import { OutboundError } from './failure.ts'

/** The end of a request, whatever brings it about. */
export interface Deadline {
  readonly signal: AbortSignal
  /** What `work` gives, or why it came too late. */
  race<T>(work: Promise<T>): Promise<T>
  clear(): void
}

/** Ends after `timeoutMs`, and with any of `signals`. */
export function createDeadline(
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
  host: string,
): Deadline {
  const ending = new AbortController()
  const late = new OutboundError('TIMEOUT', `'${host}': no whole answer in ${timeoutMs} ms`, {
    mayHaveArrived: true,
  })
  const given = new OutboundError('CANCELLED', `'${host}': the request was given up`, {
    mayHaveArrived: true,
  })
  const timer = setTimeout(() => ending.abort(late), timeoutMs)
  const giveUp = () => ending.abort(given)
  for (const signal of signals) {
    if (signal?.aborted) giveUp()
    signal?.addEventListener('abort', giveUp)
  }
  const over = new Promise<never>((_, reject) => {
    const end = () => reject(ending.signal.reason as Error)
    if (ending.signal.aborted) end()
    else ending.signal.addEventListener('abort', end, { once: true })
  })
  over.catch(() => undefined)
  return {
    signal: ending.signal,
    race: (work) => Promise.race([work, over]),
    clear() {
      clearTimeout(timer)
      for (const signal of signals) signal?.removeEventListener('abort', giveUp)
    },
  }
}
