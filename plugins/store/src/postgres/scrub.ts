import { errors } from '@svc/kernel'
import { setTimeout as delay } from 'node:timers/promises'
import type { PoolClient } from 'pg'

/** How long it waits for those who see rows as they were, in milliseconds. */
const PATIENCE_MS = 30_000
const PAUSE_MS = 50

/** The transaction that counts as the present: all that was removed or overwritten was so by earlier ones. */
const NOW = `select (txid_current() % 4294967296)::text as now`

/**
 * How many others keep the server from forgetting what an earlier transaction than `$1` removed: sessions of any role and work of
 * the server's own (that of autovacuum looks at rows as it samples them), standbys, slots. What vacuums a table sees nothing of
 * others. Who writes, or has prepared what they wrote, counts in whichever database of the server: a snapshot, also that of the
 * rewriting, reaches back to the oldest of these.
 */
const SEEING = `select count(*) as seeing from (
    select backend_xmin as oldest from pg_stat_activity
      where (datname = current_database() or datname is null) and pid <> pg_backend_pid()
        and pid not in (select pid from pg_stat_progress_vacuum)
    union all select backend_xid from pg_stat_activity where pid <> pg_backend_pid()
    union all select xmin from pg_replication_slots
    union all select transaction from pg_prepared_xacts
  ) as others where age(oldest) > age($1::xid)`

/** Samples of values, by which the server plans. */
const SAMPLES = 'pg_statistic'
/** Whether the role may have them rewritten. */
const OWNS = `select pg_has_role(datdba, 'usage') as owns from pg_database where datname = current_database()`

/** How often a table is written anew of which rows that are gone were carried over. */
const TRIES = 5

/**
 * Writes tables anew, each in a file of its own without what was removed or overwritten, and the samples that the server has of their
 * values where the role owns the database. Throws UNAVAILABLE where somebody sees rows as they were for long.
 */
export async function scrubTables(client: PoolClient, names: readonly string[]): Promise<void> {
  await client.query('set statement_timeout = 0')
  try {
    for (const name of names)
      await scrubTable(client, client.escapeIdentifier(name), 'full, analyze, verbose')
    const { rows } = await client.query<{ owns: boolean }>(OWNS)
    if (rows[0]?.owns === true) await scrubTable(client, `pg_catalog.${SAMPLES}`, 'full, verbose')
  } finally {
    await client.query('reset statement_timeout')
  }
}

/**
 * Rows that an earlier transaction can still see are carried over by the server, so these are waited for first. Of a session that
 * is just being opened nothing can be known: so the server is heard on what it did.
 */
async function scrubTable(client: PoolClient, table: string, how: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    await untilUnseen(client)
    if ((await carriedOver(client, `vacuum (${how}) ${table}`)) === 0) return
    await delay(PAUSE_MS)
  }
  throw stillSeen()
}

async function untilUnseen(client: PoolClient): Promise<void> {
  const { rows: begun } = await client.query<{ now: string }>(NOW)
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { rows } = await client.query<{ seeing: string }>(SEEING, [begun[0]?.now])
    if (Number(rows[0]?.seeing) === 0) return
    if (performance.now() > deadline) throw stillSeen()
    await delay(PAUSE_MS)
  }
}

/** Rewrites a table, which can be no part of a transaction; answers how many rows that are gone went along with the others. */
async function carriedOver(client: PoolClient, vacuum: string): Promise<number> {
  let rows = 0
  // "3 dead row versions cannot be removed yet", in whatever language.
  const hear = ({ code, detail }: Notice) => {
    if (code === INFORMATION) rows += Number(/\d+/.exec(detail ?? '')?.[0] ?? 0)
  }
  client.on('notice', hear)
  try {
    await client.query(vacuum)
  } finally {
    client.off('notice', hear)
  }
  return rows
}

interface Notice {
  readonly code: string | undefined
  readonly detail: string | undefined
}

/** What is no warning, but was asked for. */
const INFORMATION = '00000'

const stillSeen = () =>
  errors.UNAVAILABLE({
    message: 'A long transaction still sees rows as they were before: the database cannot forget them yet',
  })
