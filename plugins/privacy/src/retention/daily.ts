import type { Data } from '@svc/domain/contract'
import { type Jobs, RetryLater } from '@svc/jobs/contract'
import { type Close, type Context, SYSTEM } from '@svc/kernel'
import { z } from 'zod'
import type { Setting } from '../setting.ts'
import { sweepsOf } from './due.ts'
import { runSweeps } from './run.ts'

/** The pauses before each further try, in milliseconds. */
const DELAYS_MS = [1000, 10_000, 60_000, ...Array.from({ length: 100 }, () => 600_000)]
/** How long a sweep waits for its domain to be in force, in milliseconds. */
const ABSENT_MS = 10_000

/** Sweeps the domains that live on this server once a day, on one server at a time. */
export interface DailySweeps {
  enter(setting: Setting, data: Data): Close | undefined
}

interface Living {
  readonly setting: Setting
  readonly data: Data
}

/** Declares the work of a day. */
export function createDailySweeps(jobs: Jobs, { env, log }: Pick<Context, 'env' | 'log'>): DailySweeps {
  const living = new Map<string, Living>()
  const put = new Set<string>()
  const sweeping = jobs.kind('privacy.sweep', {
    payload: z.strictObject({ domain: z.string(), day: z.iso.date() }),
    delaysMs: DELAYS_MS,
    maxRunMs: Infinity,
    workers: 1,
    order: ({ domain }) => domain,
    async run({ domain, day }, { id, signal, stopping }) {
      const found = living.get(domain)
      if (found === undefined) throw new RetryLater(`'${domain}' is not in force here`, ABSENT_MS)
      const isOver = () => signal.aborted || stopping.aborted || living.get(domain) !== found
      const call = { caller: SYSTEM, requestId: id }
      const items = await runSweeps({ ...found, call, dryRun: false, isAsked: false, isOver })
      if (isOver()) throw new RetryLater('the server is stopping, or the definition another one', 1000)
      const done = items.reduce((sum, one) => sum + one.done, 0)
      log.info({ domain, day, done }, 'privacy.swept')
    },
  })
  return {
    enter(setting, data) {
      const { model } = setting.privacy
      if (sweepsOf(setting.privacy).length === 0) return undefined
      const domain = model.name
      const own = { setting, data }
      living.set(domain, own)
      const source = jobs.source(`sweeps of ${domain}`, async () => {
        const day = new Date(env.now()).toISOString().slice(0, 10)
        const once = `${domain} ${day}`
        if (put.has(once)) return false
        await data.write({ caller: SYSTEM }, (writes) => sweeping.put(writes, { domain, day }, { once }))
        put.add(once)
        return true
      })
      return async () => {
        if (living.get(domain) === own) living.delete(domain)
        await source.end()
      }
    },
  }
}
