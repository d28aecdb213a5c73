import { type Context, defineAction } from '@svc/kernel'
import type { Metrics } from '@svc/metrics/contract'
import type { Store } from '@svc/store/contract'
import type { JobsConfig } from './config.ts'
import type { Jobs } from './contract.ts'
import { createHandle } from './handle.ts'
import { createJobMetrics } from './job-metrics.ts'
import { Kinds, kindOf } from './kinds.ts'
import { createLeases } from './leases.ts'
import { type Loop, startLoop } from './loop.ts'
import { createOutcomes, type Wake } from './outcomes.ts'
import { Sources } from './sources.ts'
import { createSweep } from './sweep.ts'
import { jobs, marks } from './tables.ts'
import { Workers } from './workers.ts'

/** How long it may take to let go of what is left once the drain is over. */
const CLOSING_MS = 10_000

export interface JobsParts extends Context {
  readonly config: JobsConfig
  readonly store: Store
  readonly metrics: Metrics | undefined
}

/** Makes the table of work, and does what stands in it from the moment on that the server has started. */
export async function startJobs(context: JobsParts): Promise<Jobs> {
  const { actions, config, env, host, log, metrics, store, onOpen } = context
  await store.ensure([jobs, marks])
  const kinds = new Kinds()
  const leaseMs = config.lease_seconds * 1000
  const stopping = new AbortController()
  let loop: Loop | undefined
  const wake: Wake = (kind, at) => loop?.wake(kind, at)
  const workers = new Workers({
    kinds,
    leases: createLeases(store, env, leaseMs),
    env,
    workers: config.workers,
    leaseMs,
    parts: {
      store,
      outcomes: createOutcomes(store, env, wake),
      metrics: createJobMetrics(metrics, { store, env, kinds }),
      log,
      stopping: stopping.signal,
      patience: config.lease_seconds,
    },
  })
  const sources = new Sources(log)
  const sweep = createSweep(store, env, config.retention_days)
  const look = async () => {
    await workers.look()
    await sources.look()
    await sweep()
  }
  /** Does what is due, what is found by that, and what is due by that in turn; answers how many jobs were begun. */
  const settle = async (signal: AbortSignal) => {
    let begun = 0
    for (let before = -1, found = true; (found || begun > before) && !signal.aborted;) {
      before = begun
      found = await sources.look(true)
      begun += await workers.settle(signal)
    }
    return begun
  }

  actions.add(
    defineAction({
      name: 'jobs.tick',
      summary: 'Do all work that is due, and answer when it is done',
      access: [],
      async handle(_, { signal }) {
        await sweep()
        return { begun: await settle(signal) }
      },
    }),
  )

  onOpen(
    () => {
      const renewing = setInterval(() => void workers.renew().catch(() => undefined), leaseMs / 4).unref()
      const begin = () => {
        if (stopping.signal.aborted) return
        const periodMs = config.poll_seconds * 1000
        sources.isAwake = true
        loop = startLoop({ periodMs, env, log, look, wake: (kind) => workers.wake(kind) })
      }
      if (config.enabled) void host.started.then(begin)
      let stoppedAt: number | undefined
      const stop = () => {
        stoppedAt ??= performance.now()
        loop?.stop()
        sources.isAwake = false
        workers.close()
        stopping.abort(new Error('the server stops'))
      }
      host.stopping.addEventListener('abort', stop, { once: true })
      return async () => {
        stop()
        const left = config.drain_timeout_ms - (performance.now() - (stoppedAt ?? 0))
        await workers.drain(Math.max(0, left))
        await sources.close()
        clearInterval(renewing)
      }
    },
    { patienceMs: config.drain_timeout_ms + CLOSING_MS },
  )

  return {
    kind(name, options) {
      const kind = kindOf(name, options)
      kinds.add(kind)
      return createHandle(kind, { store, env, wake, revoke: (ids) => workers.revoke(ids) })
    },
    source: (name, find) => sources.add(name, find),
  }
}
