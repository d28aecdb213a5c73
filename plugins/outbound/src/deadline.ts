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
  const end = (code: 'TIMEOUT' | 'CANCELLED', what: string) =>
    ending.abort(new OutboundError(code, `'${host}': ${what}`, { mayHaveArrived: true }))
  const timer = setTimeout(() => end('TIMEOUT', `no whole answer in ${timeoutMs} ms`), timeoutMs)
  const giveUp = () => end('CANCELLED', 'the request was given up')
  for (const signal of signals) {
    if (signal?.aborted) giveUp()
    signal?.addEventListener('abort', giveUp)
  }
  const over = new Promise<never>((_, reject) => {
    const fail = () => reject(ending.signal.reason as Error)
    if (ending.signal.aborted) fail()
    else ending.signal.addEventListener('abort', fail, { once: true })
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
