import { errors } from '@svc/kernel'
import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import { isId } from './endpoints.ts'
import { DELIVERY, deliveries as table } from './tables.ts'

/** A delivery as it stands in its table. */
export interface Delivery {
  readonly id: string
  readonly endpoint: string
  readonly domain: string | null
  readonly eventId: string
  readonly event: string
  readonly resource: string | null
  readonly recordId: string | null
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly failures: number
}

const deliveryIn = (row: Row): Delivery => ({
  id: String(row['id']),
  endpoint: String(row['endpoint']),
  domain: row['domain'] === null ? null : String(row['domain']),
  eventId: String(row['event_id']),
  event: String(row['event']),
  resource: row['resource'] === null ? null : String(row['resource']),
  recordId: row['record_id'] === null ? null : String(row['record_id']),
  status: row['status'] as Delivery['status'],
  attempts: Number(row['attempts']),
  failures: Number(row['failures']),
})

/** A delivery as administrators see one. */
export const shownDelivery = (row: Row): Row => ({
  id: row['id']!,
  eventId: row['event_id']!,
  event: row['event']!,
  recordId: row['record_id'] ?? null,
  status: row['status']!,
  attempts: row['attempts']!,
  nextAttemptAt: row['next_attempt_at'] ?? null,
  responseStatus: row['response_status'] ?? null,
  responseBody: row['response_body'] ?? null,
  durationMs: row['duration_ms'] ?? null,
  createdAt: row['created_at']!,
})

/** A delivery that nobody has tried yet. */
export const newDelivery = (
  of: Pick<Delivery, 'id' | 'endpoint' | 'domain' | 'eventId' | 'event' | 'resource' | 'recordId'>,
  at: string,
): Row => ({
  id: of.id,
  endpoint: of.endpoint,
  domain: of.domain,
  event_id: of.eventId,
  event: of.event,
  resource: of.resource,
  record_id: of.recordId,
  status: 'pending',
  attempts: 0,
  failures: 0,
  next_attempt_at: at,
  response_status: null,
  response_body: null,
  duration_ms: null,
  created_at: at,
})

const byId = (id: string): Condition => ({ op: 'eq', column: DELIVERY.id, value: id })

export async function findDelivery(
  reader: Pick<Reader, 'select'>,
  id: string,
): Promise<Delivery | undefined> {
  const [row] = await reader.select({ table, columns: table.columns, where: byId(id), order: [], limit: 1 })
  return row && deliveryIn(row)
}

/** A delivery of an endpoint. Throws NOT_FOUND. */
export async function getDelivery(
  reader: Pick<Reader, 'select'>,
  id: string,
  endpoint: string,
): Promise<{ readonly delivery: Delivery; readonly shown: Row }> {
  const plan = { table, columns: table.columns, where: byId(id), order: [], limit: 1 }
  const [row] = isId(id) ? await reader.select(plan) : []
  if (row === undefined || row['endpoint'] !== endpoint)
    throw errors.NOT_FOUND({ message: `This endpoint has no delivery '${id}'` })
  return { delivery: deliveryIn(row), shown: shownDelivery(row) }
}

export const updateDelivery = async (transaction: Transaction, id: string, set: Row): Promise<void> => {
  await transaction.update({ table, set, where: byId(id) })
}

/** Has a delivery that is over made once more; false where it is pending already. */
export async function reopenDelivery(transaction: Transaction, id: string, at: string): Promise<boolean> {
  const { count } = await transaction.update({
    table,
    set: { status: 'pending', failures: 0, next_attempt_at: at },
    where: { op: 'and', of: [byId(id), { op: 'ne', column: DELIVERY.status, value: 'pending' }] },
  })
  return count > 0
}

export const removeDelivery = (transaction: Transaction, id: string): Promise<number> =>
  transaction.remove({ table, where: byId(id) })
