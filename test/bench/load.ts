// A process of its own: reads one job from standard input, sends the load, and prints what it saw.
import { text } from 'node:stream/consumers'
import autocannon, { type Request } from 'autocannon'

/** One round of one scenario against one server. */
export interface Job {
  readonly url: string
  readonly token: string
  /** The status that is right; absent: any below 300. */
  readonly status?: number | undefined
  readonly seconds: number
  /** How many requests to send in place of as many as fit into the seconds. */
  readonly amount?: number | undefined
  readonly connections: number
  readonly requests: readonly Request[]
}

/** What the load generator saw; times in milliseconds. */
export interface Seen {
  readonly perSecond: number
  /** All answers, wrong ones too. */
  readonly answers: number
  readonly p50: number
  readonly p99: number
  /** Answers of another status, errors and timeouts. */
  readonly wrong: number
  /** The share of one core that the load generator itself needed, from 0 to 1. */
  readonly busy: number
}

const job = JSON.parse(await text(process.stdin)) as Job
const requests = job.requests.map((request) => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${job.token}` },
}))
const before = process.cpuUsage()
const started = performance.now()
const result = await autocannon({
  url: job.url,
  connections: job.connections,
  ...(job.amount === undefined ? { duration: job.seconds } : { amount: job.amount }),
  requests,
  // Every connection starts elsewhere in the list, so that they do not ask for the same thing at the same time.
  setupClient: (client) => client.setRequests(rotated(requests, Math.floor(Math.random() * requests.length))),
})
const { user, system } = process.cpuUsage(before)
const right = Object.entries(result.statusCodeStats)
  .filter(([status]) => (job.status === undefined ? Number(status) < 300 : Number(status) === job.status))
  .reduce((sum, [, { count = 0 }]) => sum + count, 0)
const seen: Seen = {
  perSecond: right / result.duration,
  answers: result.requests.total,
  p50: result.latency.p50,
  p99: result.latency.p99,
  wrong: result.requests.total - right + result.errors + result.timeouts,
  busy: (user + system) / 1000 / (performance.now() - started),
}
process.stdout.write(JSON.stringify(seen))

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  return [...list.slice(by), ...list.slice(0, by)]
}
