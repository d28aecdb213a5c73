import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, createKernel, type Plugin } from '@svc/kernel'
import { postgres, sqlite } from '@svc/store'
import { type Store, StoreCapability } from '@svc/store/contract'
import { Client } from 'pg'
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
  /** Makes an empty database. */
  open(): Promise<TestDatabase>
}

const server = inject('postgresUrl')

/** Every store that this machine can run: `for (const store of STORES) describe(store.name, …)`. */
export const STORES: readonly StoreUnderTest[] = [
  { name: 'sqlite', plugin: sqlite, open: openSqlite },
  ...(server === undefined
    ? []
    : [{ name: 'postgres' as const, plugin: postgres, open: () => openPostgres(server) }]),
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

export async function openSqlite(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(scratchFolder, 'svc-sqlite-'))
  return {
    config: (overrides) => ({ sqlite: { path: join(folder, 'test.db'), ...overrides } }),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A new database on a server, made of another one. */
export async function openPostgres(maintenance: string, template = 'template0'): Promise<TestDatabase> {
  const database = `test_${randomBytes(6).toString('hex')}`
  await command(maintenance, `create database ${database} template ${template}`)
  const url = new URL(maintenance)
  url.pathname = `/${database}`
  return {
    config: (overrides) => ({ postgres: { conninfo: url.href, ...overrides } }),
    drop: () => command(maintenance, `drop database ${database} with (force)`),
  }
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
