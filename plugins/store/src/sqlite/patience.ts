import { setTimeout as delay } from 'node:timers/promises'
import { faultOf, isBusy } from './faults.ts'

/** How long a lock is waited for in all, in milliseconds. */
const PATIENCE_MS = 5000
const PAUSE_MS = 10

/**
 * Does `attempt`, again while another connection is in the way; between attempts the process does other work.
 * Throws UNAVAILABLE after five seconds.
 */
export async function patiently<T>(attempt: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw faultOf(error)
    }
    await delay(PAUSE_MS)
  }
}
