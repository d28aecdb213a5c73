import type { Logger } from '@svc/kernel'

/** More works than this at once would be a flood. */
const MAX_RUNNING = 100

/** Work that an answer does not wait for. */
export interface Background {
  /** Starts `work`, whose failure is logged as `event`; false where too much runs already. */
  start(event: string, work: () => Promise<void>): boolean
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
      if (running.size >= MAX_RUNNING) return false
      const one: Promise<void> = guarded(event, work).finally(() => running.delete(one))
      running.add(one)
      return true
    },
    settled: async () => void (await Promise.all(running)),
  }
}
