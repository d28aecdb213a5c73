import type { Environment } from '@svc/kernel'
import type { Counter, Metrics } from '@svc/metrics/contract'
import type { Condition, Store } from '@svc/store/contract'
import type { Kinds } from './kinds.ts'
import { JOB, jobs } from './tables.ts'

/** What is counted of this server's work. */
export interface JobMetrics {
  readonly done: Counter
  readonly failed: Counter
  readonly takenOver: Counter
}

const nothing: Counter = { add: () => undefined }

/** Shows what is due on all servers, and counts by kind what this one did. */
export function createJobMetrics(
  metrics: Metrics | undefined,
  { store, env, kinds }: { readonly store: Store; readonly env: Environment; readonly kinds: Kinds },
): JobMetrics {
  if (metrics === undefined) return { done: nothing, failed: nothing, takenOver: nothing }
  const due = (): Condition => ({
    op: 'and',
    of: [
      { op: 'in', column: JOB.kind, values: kinds.names() },
      { op: 'lte', column: JOB.due, value: new Date(env.now()).toISOString() },
    ],
  })
  metrics.gauge({
    name: 'jobs_due',
    help: 'Jobs that are due and that no server has begun.',
    read: () => store.count({ table: jobs, where: due() }),
  })
  metrics.gauge({
    name: 'jobs_oldest_seconds',
    help: 'For how long the job that has been due for longest has waited; 0 where none is due.',
    async read() {
      const order = [{ column: JOB.due, descending: false }]
      const [oldest] = await store.select({ table: jobs, columns: [JOB.due], where: due(), order, limit: 1 })
      return oldest === undefined ? 0 : (env.now() - Date.parse(String(oldest['due']))) / 1000
    },
  })
  metrics.gauge({
    name: 'jobs_put_aside',
    help: 'Jobs that failed at their last try and are kept to be looked at.',
    read: () => store.count({ table: jobs, where: { op: 'not', of: { op: 'null', column: JOB.failedAt } } }),
  })
  const counter = (name: string, help: string) => metrics.counter({ name, help, labels: ['kind'] })
  return {
    done: counter('jobs_done_total', 'Jobs that this server has done, by kind.'),
    failed: counter('jobs_failed_total', 'Tries that failed on this server, by kind.'),
    takenOver: counter(
      'jobs_taken_over_total',
      'Jobs that this server took over from one that was lost, by kind.',
    ),
  }
}
