import { type Accounts, callerOf } from '@svc/auth/contract'
import type { Events } from '@svc/events/contract'
import { type JobKind, type Jobs, Postponed, RetryLater, type Work } from '@svc/jobs/contract'
import type { Logger } from '@svc/kernel'
import type { KeptSecrets } from '@svc/outbound/contract'
import type { Row, Store, Transaction } from '@svc/store/contract'
import { z } from 'zod'
import { type Attempted, attempt, type AttemptParts } from './attempt.ts'
import type { WebhooksConfig } from './config.ts'
import { type Delivery, findDelivery, removeDelivery, updateDelivery } from './delivery.ts'
import { type Endpoint, openSecrets } from './endpoint.ts'
import { disableEndpoint, findEndpoint, updateEndpoint } from './endpoints.ts'
import type { Notice } from './notice.ts'
import { matchesAny } from './patterns.ts'
import { DELAYS_MS, pauseAfter } from './schedule.ts'
import { Slots } from './slots.ts'

const HOUR_MS = 3_600_000
/** How long deliveries wait before it is asked again whether they may go, in milliseconds. */
const PAUSED_MS = 30_000
const NOT_IN_FORCE_MS = 2000
/** Enough that the one which an endpoint that is silent keeps busy is missed by nobody. */
const WORKERS = 24

const Payload = z.object({
  delivery: z.string(),
  endpoint: z.string(),
  /** Deliveries of one lane go one after the other: those about one record. */
  lane: z.string(),
})
export type DeliveryJob = z.output<typeof Payload>

export interface DeliverParts extends AttemptParts {
  readonly accounts: Accounts
  readonly config: WebhooksConfig
  readonly events: Events
  readonly kept: KeptSecrets
  readonly log: Logger
  /** Tells administrators of an endpoint that is disabled. */
  readonly notices: JobKind<Notice>
  readonly store: Store
}

/** An attempt that failed, and is made again. */
class AttemptFailed extends RetryLater {
  readonly attempted: Attempted

  constructor(attempted: Attempted, ms: number) {
    super(`the receiver answered ${attempted.status ?? attempted.body}`, ms)
    this.attempted = attempted
  }
}

/** Declares the work of deliveries. */
export function deliveryJobs(jobs: Jobs, parts: DeliverParts): JobKind<DeliveryJob> {
  const slots = new Slots()
  return jobs.kind('webhooks.deliver', {
    payload: Payload,
    delaysMs: DELAYS_MS,
    workers: WORKERS,
    order: ({ endpoint, lane }) => `${endpoint} ${lane}`,
    run: (job, work) => run(job, work, slots, parts),
    async failed(transaction, { delivery: id, endpoint }, { error, nextAt }) {
      if (!(error instanceof AttemptFailed)) return
      const delivery = await findDelivery(transaction, id)
      if (delivery === undefined) return
      await noteFailure(transaction, delivery, error.attempted, nextAt)
      const found = await findEndpoint(transaction, endpoint)
      if (found) await noteFailing(transaction, found, parts)
    },
  })
}

async function run(job: DeliveryJob, work: Work, slots: Slots, parts: DeliverParts): Promise<void> {
  const { store } = parts
  const [delivery, endpoint] = await Promise.all([
    findDelivery(store, job.delivery),
    findEndpoint(store, job.endpoint),
  ])
  if (delivery?.status !== 'pending' || endpoint === undefined) return
  if (!endpoint.enabled) return settle(work, delivery, 'The endpoint is disabled')
  const free = slots.take(endpoint.id, endpoint.failingSince !== null)
  if (typeof free === 'number') throw new Postponed('the endpoint is busy with others', free)
  let isAnswered = false
  try {
    await deliver(delivery, endpoint, work, parts)
    isAnswered = true
  } finally {
    free(isAnswered)
  }
}

/** Ends a delivery that was not tried. */
const settle = (work: Work, { id }: Delivery, reason: string): Promise<void> =>
  work.commit((transaction) =>
    updateDelivery(transaction, id, { status: 'failed', response_body: reason, next_attempt_at: null }),
  )

async function deliver(
  delivery: Delivery,
  endpoint: Endpoint,
  work: Work,
  parts: DeliverParts,
): Promise<void> {
  const { accounts, env, events, kept } = parts
  const account = await accounts.find(endpoint.asId)
  if (account?.status !== 'active') throw new Postponed('the account it reads as is not active', PAUSED_MS)
  const outside = delivery.domain === null ? undefined : events.outside(delivery.domain)
  if (outside === undefined) throw new Postponed('its domain is not in force here', NOT_IN_FORCE_MS)
  const by = { kind: 'webhook', name: delivery.event }
  const why = await outside.passOver({ by, resource: delivery.resource, recordId: delivery.recordId })
  if (why !== undefined) return settle(work, delivery, why.message)
  const told = await outside.tell(delivery.eventId, callerOf(account))
  if (told === 'gone') return settle(work, delivery, 'The event is kept no more (events.retention_hours)')
  // Whoever may read nothing of it is told nothing of it, and whoever listens to something else neither.
  if (told === undefined || (told.name !== delivery.event && !matchesAny(endpoint.events, told.name)))
    return work.commit(async (transaction) => void (await removeDelivery(transaction, delivery.id)))
  const opened = openSecrets(endpoint, kept, moment(env.now()))
  if (opened === undefined) throw new Postponed('no key opens the secrets of the endpoint', PAUSED_MS)
  const body = { type: told.name, timestamp: String(told.at), data: told.data }
  const sent = { ...opened, url: endpoint.url, id: delivery.eventId, body }
  const attempted = await sending(sent, work, parts)
  await finish(attempted, delivery, endpoint, work, parts)
}

async function sending(
  sent: Parameters<typeof attempt>[0],
  work: Work,
  parts: AttemptParts,
): Promise<Attempted> {
  const { signal, stopping } = work
  try {
    return await attempt(sent, parts, AbortSignal.any([signal, stopping]))
  } catch (error) {
    if (stopping.aborted) throw stopping.reason
    throw error
  }
}

async function finish(
  attempted: Attempted,
  delivery: Delivery,
  endpoint: Endpoint,
  work: Work,
  parts: DeliverParts,
): Promise<void> {
  if (attempted.isDelivered)
    return work.commit(async (transaction) => {
      await noteDelivered(transaction, delivery, attempted)
      await noteSuccess(transaction, endpoint, parts.env.now())
    })
  const failures = delivery.failures + 1
  const [chance = 0] = parts.env.randomBytes(1)
  const ms = pauseAfter(failures, chance / 255, attempted.afterMs)
  if (ms !== undefined && !attempted.isFinal && !attempted.isGone) throw new AttemptFailed(attempted, ms)
  await work.commit(async (transaction) => {
    await noteFailure(transaction, delivery, attempted, null)
    if (attempted.isGone) await disable(transaction, endpoint, 'it answered 410', parts)
    else await noteFailing(transaction, endpoint, parts)
  })
}

const moment = (ms: number): string => new Date(ms).toISOString()

const answered = ({ status, body, durationMs }: Attempted): Row => ({
  response_status: status,
  response_body: body,
  duration_ms: durationMs,
})

/** Writes down that a delivery has arrived. */
export const noteDelivered = (
  transaction: Transaction,
  { id, attempts }: Pick<Delivery, 'id' | 'attempts'>,
  attempted: Attempted,
): Promise<void> =>
  updateDelivery(transaction, id, {
    ...answered(attempted),
    status: 'delivered',
    attempts: attempts + 1,
    next_attempt_at: null,
  })

/** Writes down that an attempt has failed, and when there is another. */
export const noteFailure = (
  transaction: Transaction,
  { id, attempts, failures }: Pick<Delivery, 'id' | 'attempts' | 'failures'>,
  attempted: Attempted,
  nextAt: string | null,
): Promise<void> =>
  updateDelivery(transaction, id, {
    ...answered(attempted),
    attempts: attempts + 1,
    failures: failures + 1,
    next_attempt_at: nextAt,
    ...(nextAt === null && { status: 'failed' }),
  })

/** An endpoint that succeeds again and again is written down once a second. */
async function noteSuccess(transaction: Transaction, endpoint: Endpoint, now: number): Promise<void> {
  const { id, failingSince, lastSuccessAt } = endpoint
  if (failingSince === null && lastSuccessAt !== null && now - Date.parse(lastSuccessAt) < 1000) return
  await updateEndpoint(transaction, id, { last_success_at: moment(now), failing_since: null })
}

async function noteFailing(transaction: Transaction, endpoint: Endpoint, parts: DeliverParts): Promise<void> {
  const { env, config } = parts
  const { id, failingSince } = endpoint
  if (failingSince === null) return updateEndpoint(transaction, id, { failing_since: moment(env.now()) })
  const hours = (env.now() - Date.parse(failingSince)) / HOUR_MS
  if (hours < config.disable_after_hours || !endpoint.enabled) return
  await disable(transaction, endpoint, `nothing has arrived since ${failingSince}`, parts)
}

/** Tells it nothing any more, and administrators that this is so. */
async function disable(
  transaction: Transaction,
  { id, url, description }: Endpoint,
  reason: string,
  { env, log, notices }: DeliverParts,
): Promise<void> {
  // Of several attempts that end at once one disables it.
  if (!(await disableEndpoint(transaction, id))) return
  const { host } = new URL(url)
  await notices.put(transaction, { endpoint: id, host, description, reason, at: moment(env.now()) })
  transaction.afterCommit(() =>
    log.error({ endpoint: id, host, reason, role: 'admin' }, 'webhooks.endpoint_disabled'),
  )
}
