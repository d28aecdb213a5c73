import { errors } from '@svc/kernel'
import { setTimeout as delay } from 'node:timers/promises'
import type { ConnectionOptions } from './connection.ts'
import { patiently } from './patience.ts'
import { Thread } from './thread/thread.ts'

/** How long it waits for others to let go, in milliseconds: for a lock, and for readers of the log. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 100

const FULL_TEXT = `select name from sqlite_schema where type = 'table' and sql like 'create virtual table%using fts5%'`

/** What somebody had sampled of values, by which statements are planned. */
const SAMPLES = `select name from sqlite_schema where name = 'sqlite_stat4'`

/**
 * Rewrites a file page by page, in a thread: what was removed or overwritten leaves bytes behind where rows have moved inside of
 * pages, where full-text tables wait to be merged, in samples of values, and in the log. Reads go on meanwhile, writes wait. Throws
 * UNAVAILABLE where a long read keeps the log from being emptied.
 */
export async function scrubFile(options: ConnectionOptions): Promise<void> {
  const thread = new Thread({
    ...options,
    readonly: false,
    isFrugal: true,
    sortsInFile: true,
    patienceMs: PATIENCE_MS,
  })
  const run = (sql: string) => patiently(() => thread.ask({ sql, values: [], isRun: true }))
  try {
    for (const row of (await thread.ask({ sql: FULL_TEXT, values: [] })).rows) {
      const name = `"${String(row['name']).replaceAll('"', '""')}"`
      await run(`insert into ${name} (${name}) values ('optimize')`)
    }
    if ((await thread.ask({ sql: SAMPLES, values: [] })).rows.length > 0) await run('analyze')
    await run('vacuum')
    await emptyLog(thread)
  } finally {
    await thread.end()
  }
}

/** Until the log is written back and cut off, it has the pages as they were. */
async function emptyLog(thread: Thread): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { rows } = await thread.ask({ sql: 'pragma wal_checkpoint(truncate)', values: [] })
    if (rows[0]?.['busy'] === 0) return
    if (performance.now() > deadline)
      throw errors.UNAVAILABLE({ message: 'A long read keeps the log of the database from being emptied' })
    await delay(PAUSE_MS)
  }
}
