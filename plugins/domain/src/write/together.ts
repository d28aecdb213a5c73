import type { Row, Transaction } from '@svc/store/contract'
import type { Written } from '../crossing/spread.ts'
import type { Key } from '../crossing/touched.ts'
import type { Resource } from '../model/resource.ts'
import { allOf, liveRows } from '../query/live.ts'
import type { Change } from './change.ts'

/** How many records a statement names at once. */
const PORTION = 500

/** A record that was written among others, perhaps more than once, and perhaps undone since. */
interface Noted {
  /** As it was before the first write. */
  readonly before: Row | undefined
  /** The last write; undefined of one behind the one way in. */
  last: Change | undefined
}

/** What changes of one transaction have written of which nothing has followed yet. */
export class Together {
  readonly #noted = new Map<Resource, Map<Key, Noted>>()

  note({ resource, key, before }: Omit<Written, 'after'>, change?: Change): void {
    const own = this.#noted.get(resource) ?? new Map<Key, Noted>()
    this.#noted.set(resource, own)
    const known = own.get(key)
    if (known === undefined) own.set(key, { before, last: change })
    else known.last = change
  }

  /** The records as they were and as they are: one whose writes were all undone is as it was. */
  async written(transaction: Transaction): Promise<readonly Written[]> {
    const found: Written[] = []
    for (const [resource, own] of this.#noted) {
      const rows = await rowsOf(resource, [...own.keys()], transaction)
      for (const [key, { before }] of own) {
        const after = rows.get(key)
        if (before !== undefined || after !== undefined) found.push({ resource, key, before, after })
      }
    }
    return found
  }

  /** Brings written records of which something has followed up to date: their writes answer them. */
  takeOver(followed: readonly Change[]): void {
    for (const { resource, key, record } of followed) {
      const noted = key === undefined ? undefined : this.#noted.get(resource)?.get(key)
      if (noted?.last?.record !== undefined) noted.last.record = record
    }
  }
}

async function rowsOf(
  resource: Resource,
  keys: readonly Key[],
  transaction: Transaction,
): Promise<ReadonlyMap<Key, Row>> {
  const { table, key, columns } = resource
  const found = new Map<Key, Row>()
  for (let at = 0; at < keys.length; at += PORTION) {
    const among = { op: 'in', column: key.column!, values: keys.slice(at, at + PORTION) } as const
    const where = allOf([among, ...liveRows(resource)])
    for (const row of await transaction.select({ table, columns, where, order: [] }))
      found.set(row[key.name] as Key, row)
  }
  return found
}
