import type { Logger } from '@svc/kernel'

/** What is done in the background again and again. */
export interface Watch {
  /** The pause between two runs, in milliseconds. */
  readonly everyMs: number
  look(): Promise<void>
  /** The log event of a run that failed. */
  readonly failure: string
}

/** Runs a watch, one run after the other; what it returns ends that. */
export function watch({ everyMs, look, failure }: Watch, log: Logger): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let ended = false
  const next = () => {
    timer = setTimeout(() => void (running = once()), everyMs)
    timer.unref()
  }
  const once = async () => {
    try {
      await look()
    } catch (error) {
      log.error({ err: error }, failure)
    }
    if (!ended) next()
  }
  next()
  return async () => {
    ended = true
    clearTimeout(timer)
    await running
  }
}
