import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, createKernel, type Plugin } from '@svc/kernel'
import { postgres, sqlite } from '@svc/store'
import { type Store, StoreCapability } from '@svc/store/contract'
import { Client, Pool } from 'pg'
import { inject } from 'vitest'
import { scratchFolder } from './memory.ts'

/** A database that is there for one test or one file of tests. */
export interface TestDatabase {
  /** The configuration section of the store; what `overrides` names is set in it. */
  config(overrides?: Readonly<Record<string, unknown>>): Config
  /** Removes the database; whatever is still connected to it is cut off. */
  drop(): Promise<void>
}

/** A store that tests run on. */
export interface StoreUnderTest {
  readonly name: 'sqlite' | 'postgres'
  readonly plugin: Plugin
  /** Makes a database: an empty one, or a copy of what `fill` left in an empty one; it is run once in each worker. */
  open(fill?: Fill): Promise<TestDatabase>
}

/** Makes something in an empty database, and leaves nobody connected to it. */
export type Fill = (database: TestDatabase) => Promise<void>

const server = inject('postgresUrl')

/** Every store that this machine can run: `for (const store of STORES) describe(store.name, …)`. */
export const STORES: readonly StoreUnderTest[] = [
  { name: 'sqlite', plugin: sqlite, open: openSqlite },
  ...(server === undefined
    ? []
    : [{ name: 'postgres' as const, plugin: postgres, open: (fill?: Fill) => openOn(server, fill) }]),
]

/** A store alone in a kernel, on a database of its own unless one is given. */
export async function startStore(
  { plugin, open }: StoreUnderTest,
  given?: TestDatabase,
): Promise<{ readonly store: Store; readonly database: TestDatabase; stop(): Promise<void> }> {
  const database = given ?? (await open())
  const kernel = createKernel({ config: database.config(), plugins: [plugin] })
  await kernel.start()
  return {
    store: kernel.get(StoreCapability),
    database,
    async stop() {
      await kernel.stop()
      if (given === undefined) await database.drop()
    },
  }
}

const FILE = 'test.db'

export async function openSqlite(fill?: Fill): Promise<TestDatabase> {
  const folder = mkdtempSync(join(scratchFolder, 'svc-sqlite-'))
  if (fill !== undefined) writeFileSync(join(folder, FILE), await filledFile(fill))
  return {
    config: (overrides) => ({ sqlite: { path: join(folder, FILE), ...overrides } }),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The bytes of a database that was filled. */
const filledFile = once(async (fill) => {
  const database = await openSqlite()
  try {
    await fill(database)
    return readFileSync(String(Object(database.config()['sqlite']).path))
  } finally {
    await database.drop()
  }
})

/** The name of a database that was filled on the server; the end of the test run removes it. */
const filledTemplate = once(async (fill) => {
  const name = `${inject('postgresTemplates')}${randomBytes(6).toString('hex')}`
  await maintain(String(server), `create database ${name} template template0`)
  await fill(databaseOn(String(server), name))
  return name
})

async function openOn(maintenance: string, fill?: Fill): Promise<TestDatabase> {
  return openPostgres(maintenance, fill === undefined ? undefined : await filledTemplate(fill))
}

/** Remembers what `make` answers, for as long as there is the function that it was made of. */
function once<T>(make: (fill: Fill) => Promise<T>): (fill: Fill) => Promise<T> {
  const made = new WeakMap<Fill, Promise<T>>()
  return (fill) => {
    const known = made.get(fill) ?? make(fill)
    made.set(fill, known)
    return known
  }
}

/** A new database on a server, made of another one. */
export async function openPostgres(maintenance: string, template = 'template0'): Promise<TestDatabase> {
  const database = `test_${randomBytes(6).toString('hex')}`
  await maintain(maintenance, `create database ${database} template ${template}`)
  return databaseOn(maintenance, database)
}

function databaseOn(maintenance: string, database: string): TestDatabase {
  const url = new URL(maintenance)
  url.pathname = `/${database}`
  return {
    config: (overrides) => ({ postgres: { conninfo: url.href, ...overrides } }),
    drop: () => maintain(maintenance, `drop database ${database} with (force)`),
  }
}

/** Connections that stay open, by what they lead to: to begin one takes longer than to make a database. */
const maintaining = new Map<string, Pool>()

/** Runs one statement over a connection that others use too; it keeps no process alive. */
async function maintain(url: string, sql: string): Promise<void> {
  const known = maintaining.get(url)
  if (known !== undefined) return void (await known.query(sql))
  const pool = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // Who goes away takes the connection along; the next statement has another.
  pool.on('error', () => undefined)
  maintaining.set(url, pool)
  await pool.query(sql)
}

/** Runs one statement over a connection of its own. */
export async function command(url: string, sql: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
