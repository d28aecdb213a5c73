import { type Action, defineAction, errors, offsetOf, pageOf, Reply } from '@svc/kernel'
import type { Condition, Row, Transaction } from '@svc/store/contract'
import { z } from 'zod'
import { attempt } from './attempt.ts'
import { noteDelivered, noteFailure } from './deliver.ts'
import { getDelivery, newDelivery, reopenDelivery, shownDelivery } from './delivery.ts'
import { openSecrets } from './endpoint.ts'
import { getEndpoint } from './endpoints.ts'
import { heardAs } from './patterns.ts'
import { put, queue } from './reader.ts'
import { assertKept, moment, type Service } from './service.ts'
import { DELIVERY, deliveries as table } from './tables.ts'

const ROOT = '/api/v1/admin/webhooks/:id'
const headers = { 'Cache-Control': 'no-store' }
/** How many deliveries are put in one transaction, and by one request. */
const CHUNK = 200
const MOST = 10_000

/** The years that every store holds: 1 to 9999. */
const STORABLE = /^(?!0000)\d{4}-/
const utc = (text: string): string => new Date(text).toISOString()
const instant = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => STORABLE.test(utc(text)), 'Expected a date-time of the years 1 to 9999')
  .transform(utc)
const Span = { after: instant.optional(), before: instant.optional() }
const List = z.object({
  id: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']).optional().describe('Those of this status alone'),
  event: z.string().max(255).optional().describe('Those of this event alone'),
  after: Span.after.describe('Those that were made after this moment'),
  before: Span.before.describe('Those that were made before this moment'),
  page: z.string().optional(),
  limit: z.string().optional(),
  offset: z.string().optional(),
})
const Replay = z.strictObject({ id: z.string(), ...Span, failedOnly: z.boolean().default(true) })

/** Deliveries, for administrators. */
export function deliveryActions(service: Service): readonly Action[] {
  const { store } = service
  return [
    defineAction({
      name: 'admin.webhooks.deliveries',
      summary: 'List what was delivered to an endpoint, or is to be, the newest first',
      access: ['admin'],
      routes: [`GET ${ROOT}/deliveries`],
      headers,
      input: List,
      async handle({ id, status, event, after, before, ...paging }) {
        await getEndpoint(store, id)
        const where = conditionOf(id, { status, event, after, before })
        const page = pageOf(paging)
        const rows = await store.select({
          table,
          columns: table.columns,
          where,
          order: [DELIVERY.createdAt, DELIVERY.id].map((column) => ({ column, descending: true })),
          limit: page.limit,
          offset: offsetOf(page),
        })
        const totalCount = page.by === 'page' ? { totalCount: await store.count({ table, where }) } : {}
        return { items: rows.map(shownDelivery), count: rows.length, ...totalCount }
      },
    }),
    defineAction({
      name: 'admin.webhooks.retry',
      summary: 'Make a delivery once more, now',
      access: ['admin'],
      routes: [`POST ${ROOT}/deliveries/:delivery/retry`],
      headers,
      input: z.strictObject({ id: z.string(), delivery: z.string() }),
      async handle({ id, delivery: name }) {
        await store.transaction(async (transaction) => {
          const { delivery } = await getDelivery(transaction, name, id)
          await again(transaction, [delivery], service)
        })
        return (await getDelivery(store, name, id)).shown
      },
    }),
    defineAction({
      name: 'admin.webhooks.replay',
      summary: 'Make the deliveries of a span of time once more: those that failed, or all',
      access: ['admin'],
      routes: [`POST ${ROOT}/replay`],
      headers,
      input: Replay,
      notes: { status: 202 },
      async handle({ id, after, before, failedOnly }) {
        const endpoint = await getEndpoint(store, id)
        const queued = failedOnly
          ? await replayFailed(id, { after, before }, service)
          : await replayAll(endpoint, { after, before }, service)
        return new Reply({ status: 202, data: { queued } })
      },
    }),
    defineAction({
      name: 'admin.webhooks.test',
      summary: 'Send svc.webhook.ping, and answer how that went',
      access: ['admin'],
      routes: [`POST ${ROOT}/test`],
      headers,
      input: z.strictObject({ id: z.string() }),
      handle: ({ id }) => ping(id, service),
    }),
  ]
}

interface Narrowed {
  readonly status?: string | undefined
  readonly event?: string | undefined
  readonly after?: string | undefined
  readonly before?: string | undefined
}

function conditionOf(endpoint: string, { status, event, after, before }: Narrowed): Condition {
  const of: Condition[] = [{ op: 'eq', column: DELIVERY.endpoint, value: endpoint }]
  if (status !== undefined) of.push({ op: 'eq', column: DELIVERY.status, value: status })
  if (event !== undefined) of.push({ op: 'eq', column: DELIVERY.event, value: event })
  if (after !== undefined) of.push({ op: 'gt', column: DELIVERY.createdAt, value: after })
  if (before !== undefined) of.push({ op: 'lt', column: DELIVERY.createdAt, value: before })
  return { op: 'and', of }
}

type Deliveries = readonly Awaited<ReturnType<typeof getDelivery>>['delivery'][]

/** Puts deliveries that are over once more. Throws CONFLICT for one that is pending. */
async function again(transaction: Transaction, all: Deliveries, service: Service): Promise<void> {
  for (const delivery of all) {
    if (delivery.domain === null)
      throw errors.CONFLICT({ message: 'A ping is not made once more: send another by POST …/test' })
    if (!(await reopenDelivery(transaction, delivery.id, moment(service))))
      throw errors.CONFLICT({
        message: 'This delivery is pending: it is made by itself, as soon as it may be',
      })
    await put(transaction, delivery, service)
  }
}

/** Puts what has failed once more, the oldest first; answers how many that are. */
async function replayFailed(endpoint: string, span: Narrowed, service: Service): Promise<number> {
  const { store } = service
  const of = conditionOf(endpoint, { ...span, status: 'failed' })
  const where: Condition = { op: 'and', of: [of, { op: 'not', of: { op: 'null', column: DELIVERY.domain } }] }
  let queued = 0
  while (queued < MOST) {
    const count = await store.transaction(async (transaction) => {
      const rows = await transaction.select({
        table,
        columns: [DELIVERY.id],
        where,
        order: [DELIVERY.createdAt, DELIVERY.id].map((column) => ({ column, descending: false })),
        limit: CHUNK,
        lock: true,
      })
      for (const { id } of rows)
        await again(transaction, [(await getDelivery(transaction, String(id), endpoint)).delivery], service)
      return rows.length
    })
    queued += count
    if (count < CHUNK) break
  }
  return queued
}

/** Makes deliveries of all events of a span that are kept still; answers how many that are. */
async function replayAll(
  endpoint: Awaited<ReturnType<typeof getEndpoint>>,
  { after, before }: Narrowed,
  service: Service,
): Promise<number> {
  assertKept(service)
  let queued = 0
  for (const model of service.domains.list()) {
    const outside = service.events.outside(model.name)
    for await (const events of outside?.between({ after, before }, CHUNK) ?? []) {
      const wanted = events.flatMap((event) => {
        const resource = model.resources.get(event.resource)
        const name = resource && heardAs(endpoint.events, resource.actionPrefix, event.action)
        return name === undefined ? [] : [{ event, name }]
      })
      await service.store.transaction(async (transaction) => {
        for (const { event, name } of wanted) {
          const about = { resource: event.resource, recordId: event.recordId || null }
          const of = { endpoint: endpoint.id, domain: model.name, eventId: event.id!, event: name, ...about }
          await queue(transaction, of, queueing(service))
        }
      })
      queued += wanted.length
      if (queued >= MOST) return queued
    }
  }
  return queued
}

const queueing = ({ jobs, newId, env }: Service) => ({ jobs, newId, now: env.now })

/** A ping goes on, whoever has gone: what came of it is written down. */
const NEVER = new AbortController().signal

/** Sends a ping at once, which is written down as any delivery. */
async function ping(endpointId: string, service: Service): Promise<Row> {
  const { store, kept, newId } = service
  const endpoint = await getEndpoint(store, endpointId)
  const opened = openSecrets(endpoint, kept, moment(service))
  if (opened === undefined)
    throw errors.CONFLICT({
      message: 'No key opens the secrets of this endpoint: rotate its secret, and write its headers anew',
    })
  const at = moment(service)
  const [id, eventId] = [newId(), newId()]
  const event = 'svc.webhook.ping'
  const of = { id, endpoint: endpointId, domain: null, eventId, event, resource: null, recordId: null }
  await store.transaction((transaction) => transaction.insert({ table, values: newDelivery(of, at) }))
  const body = { type: event, timestamp: at, data: { id: eventId, endpoint: endpointId } }
  const attempted = await attempt({ ...opened, url: endpoint.url, id: eventId, body }, service, NEVER)
  await store.transaction((transaction) => {
    const counted = { id, attempts: 0, failures: 0 }
    return attempted.isDelivered
      ? noteDelivered(transaction, counted, attempted)
      : noteFailure(transaction, counted, attempted, null)
  })
  return (await getDelivery(store, id, endpointId)).shown
}
