import type { Bus, RequestCompleted } from '@svc/kernel'
import { Counter, Histogram, Registry } from 'prom-client'
import { PREFIX } from './names.ts'

/** Actions with series of their own. Definitions come and go; further names are counted together. */
const MAX_ACTIONS = 2000
const OTHER = 'other'
/** Seconds; the slowest answer that is told apart takes five. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Counts and times every answered request by its action, until it is stopped. */
export function countRequests(bus: Bus): { readonly registry: Registry; stop(): void } {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: `${PREFIX}requests_total`,
    help: 'Answered requests by action and status code.',
    labelNames: ['action', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help: 'Time from a request to its answer, by action.',
    labelNames: ['action'],
    buckets: BUCKETS,
    registers,
  })
  const label = boundedNames(MAX_ACTIONS)
  const stop = bus.on('request.completed', (event: RequestCompleted) => {
    const action = label(event.action)
    requests.inc({ action, status: event.status })
    durations.observe({ action }, event.durationMs / 1000)
  })
  return { registry, stop }
}

/** Answers a name as it is as long as there are few, and afterwards one name for all that are new. */
function boundedNames(limit: number): (name: string) => string {
  const known = new Set<string>()
  return (name) => {
    if (known.has(name)) return name
    if (known.size >= limit) return OTHER
    known.add(name)
    return name
  }
}
