import { passOver } from '@svc/automation/contract'
import type { Resource } from '@svc/domain/contract'
import type { EventReader } from '@svc/events/contract'
import type { JobKind } from '@svc/jobs/contract'
import type { Logger } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { DeliveryJob } from './deliver.ts'
import { type Delivery, newDelivery } from './delivery.ts'
import { type KnownEndpoints, readEnabled } from './endpoints.ts'
import { heardAs } from './patterns.ts'
import { deliveries as table } from './tables.ts'

export interface QueueParts {
  readonly jobs: JobKind<DeliveryJob>
  readonly newId: () => string
  readonly now: () => number
}

/** Puts a delivery with the work that makes it. */
export async function queue(
  transaction: Transaction,
  of: Omit<Delivery, 'id' | 'status' | 'attempts' | 'failures'>,
  parts: QueueParts,
): Promise<void> {
  const id = parts.newId()
  const at = new Date(parts.now()).toISOString()
  await transaction.insert({ table, values: newDelivery({ ...of, id }, at) })
  await put(transaction, { ...of, id }, parts)
}

/** Puts the work of a delivery that is there. */
export const put = async (
  transaction: Transaction,
  of: Pick<Delivery, 'id' | 'endpoint' | 'resource' | 'recordId'>,
  { jobs }: Pick<QueueParts, 'jobs'>,
): Promise<void> => {
  const lane = `${of.resource ?? ''} ${of.recordId ?? ''}`
  await jobs.put(transaction, { delivery: of.id, endpoint: of.endpoint, lane }, { key: of.endpoint })
}

/** Whether nothing is told of a record, which the log tells then. */
async function isPassedOver(
  resource: Resource,
  recordId: string,
  transaction: Transaction,
  { log }: Pick<ReaderParts, 'log'>,
): Promise<boolean> {
  if (recordId === '') return false
  const by = { kind: 'webhook', name: resource.name }
  return (await passOver({ by, resource, key: recordId }, transaction, log)) !== undefined
}

export interface ReaderParts extends QueueParts {
  readonly log: Logger
}

/** Makes deliveries of what happens, for the endpoints that listen to it. */
export const endpointReader = (known: KnownEndpoints, parts: ReaderParts): EventReader => ({
  name: 'webhooks',
  interests: async () => [],
  hearsAll: () => known.areAny,
  async take(model, { events }, transaction) {
    const endpoints = await readEnabled(transaction)
    if (endpoints.length === 0) return
    for (const event of events) {
      const resource = model.resources.get(event.resource)
      if (event.id === null || resource === undefined) continue
      const hearing = endpoints.flatMap(({ id, hearsSince, events: patterns }) => {
        const name = heardAs(patterns, resource.actionPrefix, event.action)
        return name === undefined || event.at < hearsSince ? [] : [{ id, name }]
      })
      if (hearing.length === 0 || (await isPassedOver(resource, event.recordId, transaction, parts))) continue
      for (const { id: endpoint, name } of hearing) {
        const about = { resource: event.resource, recordId: event.recordId || null }
        const of = { endpoint, domain: model.name, eventId: event.id, event: name, ...about }
        await queue(transaction, of, parts)
      }
    }
  },
})
