import { setTimeout as delay } from 'node:timers/promises'
import { errors } from '@svc/kernel'
import type { Setting } from './setting.ts'

/** How long a request waits for schedules that were just submitted, in milliseconds. */
const PATIENCE_MS = 3000

/** The schedules of a model that come into force a little after it. */
export interface InForce {
  /** They are in force now. */
  enter(setting: Setting): void
  /** Whoever asks too early waits for them. Throws UNAVAILABLE where that takes too long. */
  setting(): Promise<Setting>
}

export function createInForce(domain: string): InForce {
  let resolve: (setting: Setting) => void = () => undefined
  const entered = new Promise<Setting>((settle) => (resolve = settle))
  let known: Setting | undefined
  return {
    enter(setting) {
      known = setting
      resolve(setting)
    },
    async setting() {
      if (known !== undefined) return known
      const over = new AbortController()
      const late = delay(PATIENCE_MS, undefined, { signal: over.signal }).catch(() => undefined)
      const setting = await Promise.race([entered, late])
      over.abort()
      if (setting !== undefined) return setting
      throw errors.UNAVAILABLE({
        message: `The schedules of '${domain}' are not in force yet: try again in a second`,
      })
    },
  }
}
