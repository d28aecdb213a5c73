import { errors } from '@svc/kernel'
import type { Condition, Reader, Row, Store, Transaction } from '@svc/store/contract'
import { type Endpoint, endpointIn } from './endpoint.ts'
import { ENDPOINT, endpoints as table } from './tables.ts'

const byId = (id: string): Condition => ({ op: 'eq', column: ENDPOINT.id, value: id })
const inOrder = [ENDPOINT.createdAt, ENDPOINT.id].map((column) => ({ column, descending: false }))

/** What is no UUID names nothing. */
export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)

/** Reads endpoints by a condition, the oldest first; those that are held nobody else changes until the transaction ends. */
export async function readEndpoints(
  reader: Pick<Reader, 'select'>,
  where: Condition = { op: 'always' },
  lock = false,
): Promise<readonly Endpoint[]> {
  const rows = await reader.select({ table, columns: table.columns, where, order: inOrder, lock })
  return rows.map(endpointIn)
}

/** The endpoints that are told what happens. */
export const readEnabled = (reader: Pick<Reader, 'select'>): Promise<readonly Endpoint[]> =>
  readEndpoints(reader, { op: 'eq', column: ENDPOINT.enabled, value: true })

/** Finds one. */
export const findEndpoint = async (
  reader: Pick<Reader, 'select'>,
  id: string,
): Promise<Endpoint | undefined> => (await readEndpoints(reader, byId(id)))[0]

/** The same; throws NOT_FOUND. */
export async function getEndpoint(
  reader: Pick<Reader, 'select'>,
  id: string,
  lock = false,
): Promise<Endpoint> {
  const [found] = isId(id) ? await readEndpoints(reader, byId(id), lock) : []
  if (found === undefined) throw errors.NOT_FOUND({ message: `There is no webhook endpoint '${id}'` })
  return found
}

export const insertEndpoint = (transaction: Transaction, values: Row): Promise<number> =>
  transaction.insert({ table, values })

export const updateEndpoint = async (transaction: Transaction, id: string, set: Row): Promise<void> => {
  await transaction.update({ table, set, where: byId(id) })
}

/** Has nothing delivered to it any more; false where that was so already. */
export async function disableEndpoint(transaction: Transaction, id: string): Promise<boolean> {
  const isEnabled: Condition = { op: 'eq', column: ENDPOINT.enabled, value: true }
  const where: Condition = { op: 'and', of: [byId(id), isEnabled] }
  const { count } = await transaction.update({ table, set: { enabled: false }, where })
  return count > 0
}

export const removeEndpoint = (transaction: Transaction, id: string): Promise<number> =>
  transaction.remove({ table, where: byId(id) })

/** Knows whether there is any endpoint at all, mostly without asking. */
export class KnownEndpoints {
  readonly #store: Store
  areAny = false

  constructor(store: Store) {
    this.#store = store
  }

  async look(): Promise<void> {
    const where: Condition = { op: 'eq', column: ENDPOINT.enabled, value: true }
    this.areAny = (await this.#store.count({ table, where })) > 0
  }
}
