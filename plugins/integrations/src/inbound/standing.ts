import type { Condition, Reader } from '@svc/store/contract'
import type { Means, Setting } from '../run/means.ts'
import { CONSUMER } from '../tables/consumers.ts'
import type { ConsumerJob } from './consumer-job.ts'

type Place = Pick<ConsumerJob, 'integration' | 'operation' | 'at'>

const placeIs = ({ integration, operation, at }: Place): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: CONSUMER.integration, value: integration },
    { op: 'eq', column: CONSUMER.operation, value: operation },
    { op: 'eq', column: CONSUMER.at, value: at },
  ],
})

/** Writes down for all servers whether a consumer of this one listens: one after the other, and nobody waits for it. */
export function noting(
  { integration, operation, at }: Place,
  { parts, tables, model }: Pick<Means, 'parts' | 'tables' | 'model'>,
): (connected: boolean) => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  let known: boolean | undefined
  const write = (connected: boolean) =>
    parts.store.transaction(async (transaction) => {
      const table = tables.consumers
      const where = placeIs({ integration, operation, at })
      const { count } = await transaction.update({ table, set: { connected }, where })
      const values = { integration, operation, at, connected }
      if (count === 0) await transaction.insert({ table, values, onConflict: 'ignore' })
    })
  return (connected) => {
    if (connected === known) return last
    known = connected
    last = last
      .then(() => write(connected))
      .catch((err: unknown) => {
        known = undefined
        parts.log.warn({ domain: model.name, integration, operation, err }, 'integrations.consumer_unnoted')
      })
    return last
  }
}

/** Whether the server that holds a consumer listens. */
export async function listens(
  place: Place,
  reader: Pick<Reader, 'count'>,
  { tables }: Pick<Setting, 'tables'>,
): Promise<boolean> {
  const isConnected: Condition = { op: 'eq', column: CONSUMER.connected, value: true }
  const where: Condition = { op: 'and', of: [placeIs(place), isConnected] }
  return (await reader.count({ table: tables.consumers, where })) > 0
}
