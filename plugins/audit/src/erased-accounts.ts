import { createHmac } from 'node:crypto'
import type { AccountRemoving } from '@svc/auth/contract'
import type { Close, Environment, Logger } from '@svc/kernel'
import type { Condition, Store, Transaction } from '@svc/store/contract'
import { ERASED, ERASED_TABLE } from './erased-table.ts'
import type { Journal } from './journal.ts'
import { splitRow } from './row.ts'
import { AUDIT_TABLE, COLUMNS, EARLIER, NO_ADDRESS, SPAN_MS } from './table.ts'

/** How often what was left undone is looked for, in milliseconds. */
export const CATCH_UP_MS = 60_000
/** When it is looked again for requests that were under way as an account went, in milliseconds. */
const LATER_MS = [1000, 10_000]
/** After this time no server has any left, in milliseconds. */
const SETTLED_MS = 60_000
/** By so much the clocks of servers may differ, in milliseconds. */
const SKEW_MS = 1000

export interface ErasedAccountsOptions {
  /** The store that the accounts are in. */
  readonly store: Store
  readonly journal: Pick<Journal, 'flush'>
  /** By which names are hashed. */
  readonly key: Uint8Array
  readonly env: Pick<Environment, 'now'>
  readonly log: Logger
  readonly newId: () => string
}

/** Has the log of requests forget the names and addresses of accounts that go with their persons. */
export interface ErasedAccounts {
  /** Hears that an account goes, in the transaction of that; an account that goes by itself stays named. */
  removing(removal: AccountRemoving): Promise<void>
  /** Does what was left undone, by this server or by another one that is gone. */
  catchUp(): Promise<void>
  readonly close: Close
}

interface Erased {
  readonly pseudonym: string
  /** Later requests may be those of somebody else of the same name. */
  readonly until: string
}

/**
 * Requests are written behind their answers, and where the journal is another file no transaction reaches both: the account's entry
 * here is durable with its removal, and goes once no server can have any of its requests left.
 */
export function createErasedAccounts(options: ErasedAccountsOptions): ErasedAccounts {
  const { store, journal, key, env, log, newId } = options
  const { journal: requests } = store
  const timers = new Set<NodeJS.Timeout>()
  const hashOf = (name: string) => createHmac('sha256', key).update(name).digest('hex')
  const untilOf = (at: number) => new Date(at + SKEW_MS).toISOString()

  const renameNow = async (name: string, erased: Erased): Promise<void> => {
    await journal.flush()
    const count = await requests.transaction((transaction) => rename(name, erased, transaction))
    if (count > 0 && requests.features.has('scrub')) await requests.scrub([AUDIT_TABLE.name])
  }
  const told = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => log.error({ err: error }, 'audit.name_not_erased'))

  return {
    async removing({ erased: of, transaction, afterCommit }) {
      if (of === undefined) return
      const { username, pseudonym } = of
      const at = env.now()
      const erased = { pseudonym, until: untilOf(at) }
      await transaction.insert({
        table: ERASED_TABLE,
        values: { id: newId(), name: hashOf(username), pseudonym, at: new Date(at).toISOString() },
      })
      if (store.features.has('oneDatabase')) await rename(username, erased, transaction)
      afterCommit.push(() => {
        void told(renameNow(username, erased))
        for (const wait of LATER_MS) {
          const timer = setTimeout(() => {
            timers.delete(timer)
            void told(renameNow(username, erased))
          }, wait)
          timers.add(timer.unref())
        }
      })
    },
    async catchUp() {
      const rows = await store.select({
        table: ERASED_TABLE,
        columns: ERASED_TABLE.columns,
        where: { op: 'always' },
        order: [],
      })
      if (rows.length === 0) return
      await journal.flush()
      const names = await namesIn(requests)
      for (const row of rows) {
        const at = Date.parse(String(row[ERASED.at.name]))
        const erased = { pseudonym: String(row[ERASED.pseudonym.name]), until: untilOf(at) }
        for (const name of names) if (hashOf(name) === row[ERASED.name.name]) await renameNow(name, erased)
        if (at + SETTLED_MS > env.now()) continue
        const where: Condition = { op: 'eq', column: ERASED.id, value: String(row[ERASED.id.name]) }
        await store.transaction((transaction) => transaction.remove({ table: ERASED_TABLE, where }))
      }
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

async function rename(name: string, { pseudonym, until }: Erased, transaction: Transaction): Promise<number> {
  const named: Condition = { op: 'eq', column: COLUMNS.username, value: name }
  const split = await splitAt(until, named, transaction)
  const { count } = await transaction.update({
    table: AUDIT_TABLE,
    set: { [COLUMNS.username.name]: pseudonym, [COLUMNS.remoteAddr.name]: NO_ADDRESS },
    where: { op: 'and', of: [named, { op: 'lte', column: COLUMNS.timestamp, value: until }] },
  })
  return split + count
}

/** Has every row of these stand for requests on one side of a moment alone; answers how many did not. */
async function splitAt(moment: string, of: Condition, transaction: Transaction): Promise<number> {
  const across = await transaction.select({
    table: AUDIT_TABLE,
    columns: AUDIT_TABLE.columns,
    where: {
      op: 'and',
      of: [
        of,
        { op: 'gt', column: COLUMNS.timestamp, value: moment },
        { op: 'lt', column: COLUMNS.timestamp, value: new Date(Date.parse(moment) + SPAN_MS).toISOString() },
        { op: 'lte', column: EARLIER.earliest, value: moment },
      ],
    },
    order: [],
    lock: true,
  })
  for (const row of across) {
    const [until, later] = splitRow(row, moment)
    await transaction.remove({
      table: AUDIT_TABLE,
      where: {
        op: 'and',
        of: [
          { op: 'eq', column: COLUMNS.timestamp, value: row[COLUMNS.timestamp.name]! },
          { op: 'eq', column: COLUMNS.id, value: row[COLUMNS.id.name]! },
        ],
      },
    })
    await transaction.insertRows({ table: AUDIT_TABLE, rows: [until, later], onConflict: 'ignore' })
  }
  return across.length
}

/** The names that stand in the log. */
async function namesIn(requests: Store): Promise<readonly string[]> {
  const rows = await requests.aggregate({
    table: AUDIT_TABLE,
    where: { op: 'not', of: { op: 'null', column: COLUMNS.username } },
    by: { username: { op: 'column', column: COLUMNS.username } },
    measures: { requests: { fn: 'count' } },
  })
  return rows.map(({ username }) => String(username))
}
