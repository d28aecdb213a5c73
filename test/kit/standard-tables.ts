import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createKernel } from '@svc/kernel'
import { standardPlugins } from '@svc/server'
import Database from 'better-sqlite3'
import { askPostgres } from './ask-postgres.ts'
import { scratchFolder } from './memory.ts'
import type { TestDatabase } from './stores.ts'

/**
 * Leaves in an empty database what a server makes there with its first start: all tables of the standard plugins, with
 * their indexes, and no row. A server that starts on it finds nothing missing, and does all the rest of its start.
 */
export async function standardTables(database: TestDatabase): Promise<void> {
  const folder = mkdtempSync(join(scratchFolder, 'svc-files-'))
  const sections = {
    ...database.config(),
    files: { root: folder },
    rest: { port: 0 },
    auth: { jwt: { secret: 'a secret that signs nothing here' } },
  }
  const kernel = createKernel({ config: sections, plugins: standardPlugins(sections) })
  await kernel.start()
  await kernel.stop()
  rmSync(folder, { recursive: true, force: true })
  await askPostgres(database, (client) => client.query(EMPTY))
  const { path } = Object(Object.values(database.config())[0])
  if (typeof path === 'string') emptied(path)
}

const EMPTY = `
  do $$ begin
    execute (select 'truncate ' || string_agg(quote_ident(tablename), ', ') || ' restart identity'
      from pg_tables where schemaname = current_schema());
  end $$`

/** Nothing of what was removed is left in the file either: tests look for bytes. */
function emptied(path: string): void {
  const file = new Database(path)
  file.pragma('foreign_keys = off')
  const tables = file
    .prepare(
      `select name from pragma_table_list where schema = 'main' and type = 'table' and name <> 'sqlite_schema'`,
    )
    .pluck()
    .all()
  for (const name of tables) file.exec(`delete from "${String(name)}"`)
  file.exec('vacuum')
  file.close()
}
