import Database from 'better-sqlite3'
import { command, type TestDatabase } from './stores.ts'

/** Runs a statement behind the back of every server, as one who has the database in hand. */
export async function behind(database: TestDatabase, sql: string): Promise<void> {
  const { path, conninfo } = Object(Object.values(database.config())[0])
  if (typeof path !== 'string') return command(String(conninfo), sql)
  const file = new Database(path)
  try {
    file.exec(sql)
  } finally {
    file.close()
  }
}
