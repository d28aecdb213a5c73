import { errors } from '@svc/kernel'
import { setTimeout as delay } from 'node:timers/promises'
import type { PoolClient } from 'pg'

/** How long it waits for those who see rows as they were, in milliseconds. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 50

/** The transaction that counts as the present: all that was removed or overwritten was so by earlier ones. */
const NOW = `select (txid_current() % 4294967296)::text as now`

/** How many others may still see what an earlier transaction than `$1` removed, or have not said whether they remove something. */
const SEEING = `select count(*) as seeing from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
    and (age(backend_xmin) > age($1::xid) or age(backend_xid) > age($1::xid))`

/**
 * Writes tables anew, each in a file of its own without what was removed or overwritten. Rows that an earlier transaction can still
 * see are carried over by the server, so these are waited for first. Throws UNAVAILABLE where one stays.
 */
export async function scrubTables(client: PoolClient, names: readonly string[]): Promise<void> {
  await untilUnseen(client)
  await client.query('set statement_timeout = 0')
  try {
    // Each by itself: it can be no part of a transaction.
    for (const name of names) await client.query(`vacuum (full) ${client.escapeIdentifier(name)}`)
  } finally {
    await client.query('reset statement_timeout')
  }
}

async function untilUnseen(client: PoolClient): Promise<void> {
  const { rows: begun } = await client.query<{ now: string }>(NOW)
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { rows } = await client.query<{ seeing: string }>(SEEING, [begun[0]?.now])
    if (Number(rows[0]?.seeing) === 0) return
    if (performance.now() > deadline)
      throw errors.UNAVAILABLE({
        message:
          'A long transaction still sees rows as they were before: the database cannot forget them yet',
      })
    await delay(PAUSE_MS)
  }
}
