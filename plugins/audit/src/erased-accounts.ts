import { createHmac } from 'node:crypto'
import type { AccountRemoving } from '@svc/auth/contract'
import type { Close, Environment, Logger } from '@svc/kernel'
import type { Condition, Store } from '@svc/store/contract'
import { ERASED, ERASED_TABLE } from './erased-table.ts'
import type { Journal } from './journal.ts'
import { type Erased, namesIn, rename } from './rename.ts'
import { AUDIT_TABLE } from './table.ts'

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
