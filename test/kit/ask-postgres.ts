import { Client } from 'pg'
import type { TestDatabase } from './stores.ts'

/** Runs `work` on a connection of its own where the database is one of PostgreSQL; elsewhere does nothing. */
export async function askPostgres(
  database: TestDatabase,
  work: (client: Client) => Promise<unknown>,
): Promise<void> {
  const { conninfo } = Object(Object.values(database.config())[0])
  if (conninfo === undefined) return
  const client = new Client(String(conninfo))
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
