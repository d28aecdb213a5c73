import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { type Article, COLUMNS, TABLE, WRITER_COLUMNS, WRITER_ROWS, WRITER_TABLE } from './article.ts'
import type { Databases } from './databases.ts'
import { startPostgres } from './postgres-server.ts'
import { POOL_SIZE } from './postgres-table.ts'

/** How many articles are sent at once. */
const BATCH = 10_000

/** Two databases on one server, which goes with them unless it is a named one. */
export async function openPostgresDatabases(): Promise<Databases> {
  const server = await startPostgres()
  const ours = `bench_${randomBytes(6).toString('hex')}`
  const theirs = `${ours}_by_hand`
  const urlOf = (database: string): string => {
    const url = new URL(server.url)
    url.pathname = `/${database}`
    return url.href
  }
  await connected(server.url, (client) => client.query(`create database ${ours} template template0`))
  return {
    config: { postgres: { conninfo: urlOf(ours), pool_size: POOL_SIZE } },
    byHand: urlOf(theirs),
    remarks: await connected(server.url, remarksOn),
    async fill(articles) {
      await connected(urlOf(ours), (client) => fill(client, articles))
      // A copy has the same pages and the same statistics, so both sides get the same plans.
      await connected(server.url, async (client) => {
        await client.query(`create database ${theirs} template ${ours}`)
        await client.query('checkpoint')
      })
    },
    async close() {
      await connected(server.url, async (client) => {
        for (const name of [ours, theirs]) await client.query(`drop database if exists ${name} with (force)`)
      })
      await server.stop()
    },
  }
}

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function fill(client: Client, articles: readonly Article[]): Promise<void> {
  await insertAll(client, WRITER_TABLE, WRITER_COLUMNS, WRITER_ROWS)
  await insertAll(client, TABLE, COLUMNS, articles)
}

async function insertAll(
  client: Client,
  table: string,
  names: readonly string[],
  rows: readonly object[],
): Promise<void> {
  const columns = names.map((name) => `"${name}"`).join(', ')
  const insert = `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`
  for (let at = 0; at < rows.length; at += BATCH)
    await client.query(insert, [JSON.stringify(rows.slice(at, at + BATCH))])
  await client.query(`vacuum (analyze) ${table}`)
}

/** What decides how durable a commit is, and what the figures leave out. */
async function remarksOn(client: Client): Promise<readonly string[]> {
  const settings: string[] = []
  for (const name of ['synchronous_commit', 'fsync', 'full_page_writes']) {
    const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name])
    settings.push(`${name} ${rows[0]?.value}`)
  }
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version') version")
  return [
    `PostgreSQL ${rows[0]?.version}, ${settings.join(', ')}, ${POOL_SIZE} connections for each server`,
    "cpu is the server's own process: what PostgreSQL needs is not in it, and runs on the same cores",
  ]
}
