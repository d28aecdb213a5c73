import type { Environment } from '@svc/kernel'
import type { Column, Condition, Store, Table } from '@svc/store/contract'
import { textIn, timestamp } from './rows.ts'
import { apiKeys, refreshTokens, sessions, tickets } from './tables.ts'

/** Rows that one transaction removes: few enough that nobody waits for it. */
const BATCH = 500
const DAY_MS = 86_400_000
/** An expired key stays in the list for a while, so that people see why their machine is refused. */
const KEY_GRACE_MS = 30 * DAY_MS

interface Expirable {
  readonly table: Table
  readonly key: Column
  readonly expiry: Column
  /** How long a row stays after it ran out, in milliseconds. */
  readonly graceMs: number
}

/**
 * Removes sessions, tokens and keys that ran out, a batch at a time, until nothing is left or `signal` says to stop.
 * A session goes once the last of its access tokens ran out too.
 */
export function createSweep(store: Store, env: Environment, accessTtlMs: number) {
  const expirables: readonly Expirable[] = [
    expirable(refreshTokens.table, refreshTokens.columns.hash, refreshTokens.columns.expires_at),
    expirable(sessions.table, sessions.columns.id, sessions.columns.expires_at, accessTtlMs),
    expirable(tickets.table, tickets.columns.hash, tickets.columns.expires_at),
    expirable(apiKeys.table, apiKeys.columns.id, apiKeys.columns.expires_at, KEY_GRACE_MS),
  ]
  return async (signal: AbortSignal): Promise<void> => {
    for (const one of expirables) {
      let more = true
      while (more && !signal.aborted) more = await removeBatch(store, env.now(), one)
    }
  }
}

const expirable = (table: Table, key: Column, expiry: Column, graceMs = 0): Expirable => ({
  table,
  key,
  expiry,
  graceMs,
})

/** Whether there may be more. */
async function removeBatch(store: Store, now: number, { table, key, expiry, graceMs }: Expirable) {
  const isOver: Condition = { op: 'lte', column: expiry, value: timestamp(now - graceMs) }
  const order = [{ column: expiry, descending: false }]
  const rows = await store.select({ table, columns: [key, expiry], where: isOver, order, limit: BATCH })
  if (rows.length === 0) return false
  const values = rows.map((row) => textIn(row, key))
  // Asked again: a session may have been refreshed meanwhile.
  const where: Condition = { op: 'and', of: [{ op: 'in', column: key, values }, isOver] }
  await store.transaction((transaction) => transaction.remove({ table, where }))
  return rows.length === BATCH
}
