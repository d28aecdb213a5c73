import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import type { TestDatabase } from './stores.ts'

/** All that a database keeps, as text: the bytes of its files, or the rows of all of its tables. */
export async function everythingKept(database: TestDatabase): Promise<string> {
  const { path } = Object(Object.values(database.config())[0])
  if (typeof path === 'string') {
    const folder = dirname(path)
    return readdirSync(folder)
      .map((name) => `${name} ${readFileSync(join(folder, name), 'latin1')}`)
      .join('\n')
  }
  const rows = await rowsKept(database)
  return [...rows].map(([name, text]) => `${name} ${text}`).join('\n')
}

/** The bytes of the files in which a database keeps its tables and indexes, as text; on PostgreSQL without the log of its server. */
export async function filesKept(database: TestDatabase): Promise<string> {
  const { conninfo } = Object(Object.values(database.config())[0])
  if (typeof conninfo !== 'string') return everythingKept(database)
  const client = new Client(conninfo)
  await client.connect()
  try {
    await client.query('checkpoint')
    const { rows } = await client.query<{ name: string; bytes: Buffer }>(
      `select relname as name, pg_read_binary_file(pg_relation_filepath(oid), 0, 1000000000, true) as bytes
       from pg_class where relkind in ('r', 't', 'i') and pg_relation_filepath(oid) is not null`,
    )
    return rows.map(({ name, bytes }) => `${name} ${bytes.toString('latin1')}`).join('\n')
  } finally {
    await client.end()
  }
}

/** The rows of each table that a database has, as text, by the names of the tables. */
export async function rowsKept(database: TestDatabase): Promise<ReadonlyMap<string, string>> {
  const { path, conninfo } = Object(Object.values(database.config())[0])
  return typeof path === 'string' ? rowsOfFile(path) : rowsOfServer(String(conninfo))
}

function rowsOfFile(path: string): ReadonlyMap<string, string> {
  const file = new Database(path, { readonly: true })
  try {
    const names = file.prepare(`select name from sqlite_master where type = 'table'`).pluck().all()
    return new Map(
      names.map((name) => [String(name), JSON.stringify(file.prepare(`select * from "${name}"`).all())]),
    )
  } finally {
    file.close()
  }
}

async function rowsOfServer(conninfo: string): Promise<ReadonlyMap<string, string>> {
  const client = new Client(conninfo)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    const texts = new Map<string, string>()
    for (const { name } of rows) {
      const table = await client.query(`select * from "${name}"`)
      texts.set(name, JSON.stringify(table.rows))
    }
    return texts
  } finally {
    await client.end()
  }
}
