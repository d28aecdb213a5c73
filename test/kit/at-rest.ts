import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import type { TestDatabase } from './stores.ts'

/** All that a database keeps, as text: the bytes of its files, or the rows of all of its tables. */
export async function everythingKept(database: TestDatabase): Promise<string> {
  const { path, conninfo } = Object(Object.values(database.config())[0])
  if (typeof path === 'string') {
    const folder = dirname(path)
    return readdirSync(folder)
      .map((name) => `${name} ${readFileSync(join(folder, name), 'latin1')}`)
      .join('\n')
  }
  const client = new Client(String(conninfo))
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    const texts: string[] = []
    for (const { name } of rows) {
      const table = await client.query(`select * from "${name}"`)
      texts.push(`${name} ${JSON.stringify(table.rows)}`)
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}
