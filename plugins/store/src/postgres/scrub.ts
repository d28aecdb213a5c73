import { errors } from '@svc/kernel'
import { setTimeout as delay } from 'node:timers/promises'
import type { PoolClient } from 'pg'

/** How long it waits for those who see rows as they were, in milliseconds. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 50

/** The transaction that counts as the present: all that was removed or overwritten was so by earlier ones. */
const NOW = `select (txid_current() % 4294967296)::text as now`

/**
 * How many others keep the server from forgetting what an earlier transaction than `$1` removed: sessions of any role and work of
 * the server's own (that of autovacuum looks at rows as it samples them), standbys, slots, prepared transactions. What vacuums a
 * table sees nothing of others.
 */
const SEEING = `select count(*) as seeing from (
    select backend_xmin as oldest from pg_stat_activity
      where (datname = current_database() or datname is null) and pid <> pg_backend_pid()
        and pid not in (select pid from pg_stat_progress_vacuum)
    union all select backend_xid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
    union all select xmin from pg_replication_slots
    union all select transaction from pg_prepared_xacts where database = current_database()
  ) as others where age(oldest) > age($1::xid)`

/** Samples of values, by which the server plans. */
const SAMPLES = 'pg_catalog.pg_statistic'
/** Whether the role may have them rewritten. */
const OWNS = `select pg_has_role(datdba, 'usage') as owns from pg_database where datname = current_database()`

/**
 * Writes tables anew, each in a file of its own without what was removed or overwritten, and the samples that the server has of their
 * values where the role owns the database. Rows that an earlier transaction can still see are carried over by the server, so these are
 * waited for first. Throws UNAVAILABLE where one stays.
 */
export async function scrubTables(client: PoolClient, names: readonly string[]): Promise<void> {
  await untilUnseen(client)
  await client.query('set statement_timeout = 0')
  try {
    // Each by itself: it can be no part of a transaction.
    for (const name of names) await client.query(`vacuum (full, analyze) ${client.escapeIdentifier(name)}`)
    const { rows } = await client.query<{ owns: boolean }>(OWNS)
    if (rows[0]?.owns !== true) return
    await untilUnseen(client)
    await client.query(`vacuum (full) ${SAMPLES}`)
  } finally {
    await client.query('reset statement_timeout')
  }
}

/**
 * Resolves once nobody sees what was there before. While it looks, somebody whom it has looked at may begin to see what
 * another still does, whom it has yet to look at; the next look finds them.
 */
async function untilUnseen(client: PoolClient): Promise<void> {
  const { rows: begun } = await client.query<{ now: string }>(NOW)
  const deadline = performance.now() + PATIENCE_MS
  for (let looks = 0; looks < 2;) {
    const { rows } = await client.query<{ seeing: string }>(SEEING, [begun[0]?.now])
    if (Number(rows[0]?.seeing) === 0) {
      looks += 1
      continue
    }
    looks = 0
    if (performance.now() > deadline)
      throw errors.UNAVAILABLE({
        message:
          'A long transaction still sees rows as they were before: the database cannot forget them yet',
      })
    await delay(PAUSE_MS)
  }
}
