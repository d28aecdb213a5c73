import type { Logger } from './log.ts'

/** How long a plugin is waited for in silence, and how long it may take to let go unless it says so, in milliseconds. */
export const PATIENCE_MS = 10_000
/** From when on it is no mere warning that a plugin is waited for: whoever logs errors alone has to hear of it too. */
const ALARMING_MS = 60_000
/** The longest that a timer waits: whoever may take longer is waited for without an end. */
const LONGEST_MS = 2 ** 31 - 1

/** Who is waited for, and how long. */
export interface Waiting {
  readonly plugin: string
  /** What it is to do, such as `open`. */
  readonly what: string
  readonly log: Logger
  /** The most that is waited, in milliseconds. */
  readonly mostMs: number
  /** When that begins to count; at once unless said. */
  readonly since?: AbortSignal
  /** Whether it has said that it may take its time: it is told all the same, and nothing is wrong with it. */
  readonly isExpected?: boolean
}

/**
 * Waits for what a plugin does, and tells every ten seconds whom it waits for. The process stays meanwhile, as a plugin that waits
 * for nothing would have it end without a word. Rejects where it takes too long.
 */
export function patiently<T>(work: Promise<T>, waiting: Waiting): Promise<T> {
  const { plugin, what, log, mostMs, since, isExpected = false } = waiting
  const begun = performance.now()
  const tell = () => {
    const ms = performance.now() - begun
    const fields = {
      plugin,
      message: `still waiting for '${plugin}' to ${what}`,
      seconds: Math.round(ms / 1000),
    }
    if (isExpected) log.info(fields, 'plugin.waited_for')
    else if (ms < ALARMING_MS) log.warn(fields, 'plugin.waited_for')
    else log.error(fields, 'plugin.waited_for')
  }
  return new Promise<T>((resolve, reject) => {
    let limit: NodeJS.Timeout | undefined
    const end = () => {
      clearInterval(telling)
      clearTimeout(limit)
      since?.removeEventListener('abort', count)
    }
    const giveUp = () => {
      end()
      reject(new Error(`it took more than ${mostMs / 1000} s to ${what}, and is waited for no longer`))
    }
    const count = () => {
      if (mostMs <= LONGEST_MS) limit = setTimeout(giveUp, mostMs)
    }
    if (since === undefined || since.aborted) count()
    else since.addEventListener('abort', count)
    // Behind the limit, so that nobody is told to wait for what is given up.
    const telling = setInterval(tell, PATIENCE_MS)
    work.then(resolve, reject).finally(end)
  })
}
