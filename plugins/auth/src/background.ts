import type { Logger } from '@svc/kernel'

/** More works than this at once would be a flood. */
const MAX_RUNNING = 100
/** One client alone leaves something of that to others. */
const MAX_OF_ONE = 90

/** Work that an answer does not wait for. */
export interface Background {
  /** Starts `work`, whose failure is logged as `event`; false where too much runs already, of all or of `client`. */
  start(event: string, client: string, work: () => Promise<void>): boolean
  /** Resolves when everything that runs now is done. */
  settled(): Promise<void>
}

/** Makes a place for work that nobody waits for, so that a stop can wait for it. */
export function createBackground(log: Logger): Background {
  /** The works that run, and for whom. */
  const running = new Map<Promise<void>, string>()

  const guarded = async (event: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, event)
    }
  }

  return {
    start(event, client, work) {
      const own = [...running.values()].filter((whose) => whose === client)
      if (running.size >= MAX_RUNNING || own.length >= MAX_OF_ONE) return false
      const one: Promise<void> = guarded(event, work).finally(() => running.delete(one))
      running.set(one, client)
      return true
    },
    settled: async () => void (await Promise.all(running.keys())),
  }
}
