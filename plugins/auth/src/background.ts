import { errors, type Logger } from '@svc/kernel'

/** More works than this at once would be a flood. */
const MAX_RUNNING = 100

/** Work that an answer does not wait for. */
export interface Background {
  /** Starts `work`; its failure is logged as `event`. Throws UNAVAILABLE where too much runs already. */
  start(event: string, work: () => Promise<void>): void
  /** Resolves when everything that runs now is done. */
  settled(): Promise<void>
}

/** Makes a place for work that nobody waits for, so that a stop can wait for it. */
export function createBackground(log: Logger): Background {
  const running = new Set<Promise<void>>()

  const guarded = async (event: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, event)
    }
  }

  return {
    start(event, work) {
      if (running.size >= MAX_RUNNING) throw errors.UNAVAILABLE({ headers: { 'Retry-After': '1' } })
      const one: Promise<void> = guarded(event, work).finally(() => running.delete(one))
      running.add(one)
    },
    settled: async () => void (await Promise.all(running)),
  }
}
