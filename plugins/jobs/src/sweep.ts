import type { Environment } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { JOB, jobs } from './tables.ts'

const DAY_MS = 86_400_000
const PERIOD_MS = 3_600_000

/** Makes what removes jobs that were put aside `days` ago, at most once an hour however often it is asked. */
export function createSweep(store: Store, env: Environment, days: number): () => Promise<void> {
  let next = -Infinity
  return async () => {
    const now = env.now()
    if (now < next) return
    next = now + PERIOD_MS
    const before = new Date(now - days * DAY_MS).toISOString()
    const where = { op: 'lt', column: JOB.failedAt, value: before } as const
    const [outdated] = await store.select({ table: jobs, columns: [JOB.id], where, order: [], limit: 1 })
    if (outdated !== undefined)
      await store.transaction((transaction) => transaction.remove({ table: jobs, where }))
  }
}
