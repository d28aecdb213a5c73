import type { Counter, Metrics } from '@svc/metrics/contract'
import type { Reader } from '@svc/store/contract'
import type { Environment } from '@svc/kernel'
import { ENTRY, tablesOf } from './outbox/tables.ts'

/** What is counted of the messages that this server sends. */
export interface NotificationMetrics {
  readonly ended: Counter
}

export interface MetricsParts {
  readonly store: Reader
  readonly env: Environment
  /** The domains in force that have messages. */
  readonly domains: () => Iterable<string>
}

/** Shows what waits on all servers, and counts by channel what this one has sent. */
export function createMetrics(
  metrics: Metrics | undefined,
  { store, env, domains }: MetricsParts,
): NotificationMetrics {
  if (metrics === undefined) return { ended: { add: () => undefined } }
  const pending = { op: 'eq', column: ENTRY.status, value: 'pending' } as const
  metrics.gauge({
    name: 'notifications_pending',
    help: 'Messages that are still to be sent, those that wait for another try among them.',
    async read() {
      let count = 0
      for (const domain of domains())
        count += await store.count({ table: tablesOf(domain).entries, where: pending })
      return count
    },
  })
  metrics.gauge({
    name: 'notifications_oldest_seconds',
    help: 'How long ago the oldest message was raised that is still to be sent; 0 where there is none.',
    async read() {
      let oldest = env.now()
      for (const domain of domains()) {
        const [row] = await store.select({
          table: tablesOf(domain).entries,
          columns: [ENTRY.createdAt],
          where: pending,
          order: [{ column: ENTRY.createdAt, descending: false }],
          limit: 1,
        })
        if (row !== undefined) oldest = Math.min(oldest, Date.parse(String(row['createdAt'])))
      }
      return (env.now() - oldest) / 1000
    },
  })
  return {
    ended: metrics.counter({
      name: 'notifications_ended_total',
      help: 'Messages that this server is done with, by channel and status: sent, logged, failed.',
      labels: ['channel', 'status'],
    }),
  }
}
