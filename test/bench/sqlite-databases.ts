import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { TestFolder } from '../kit/server-process.ts'
import { type Article, COLUMNS, TABLE, WRITER_COLUMNS, WRITER_ROWS, WRITER_TABLE } from './article.ts'
import type { Databases } from './databases.ts'

/** Two files in `folder`. */
export async function openSqliteDatabases(folder: TestFolder): Promise<Databases> {
  const [ours, byHand] = [join(folder.path, 'svc.db'), join(folder.path, 'by-hand.db')]
  return {
    config: { sqlite: { path: ours } },
    byHand,
    remarks: [],
    fill: async (articles) => copy(ours, byHand, articles),
    close: async () => undefined,
  }
}

/** Makes the same table in the other file, and fills both. */
function copy(ours: string, theirs: string, articles: readonly Article[]): void {
  const [source, target] = [new Database(ours), new Database(theirs)]
  const schema = source
    .prepare<[string, string], { sql: string }>(
      'select sql from sqlite_master where tbl_name in (?, ?) and sql is not null',
    )
    .all(TABLE, WRITER_TABLE)
  target.pragma('journal_mode = wal')
  target.exec(schema.map(({ sql }) => sql).join(';\n'))
  for (const database of [source, target]) {
    fill(database, articles)
    database.pragma('wal_checkpoint(truncate)')
    database.close()
  }
}

function fill(database: Database.Database, articles: readonly Article[]): void {
  database.transaction(() => {
    insertAll(database, WRITER_TABLE, WRITER_COLUMNS, WRITER_ROWS)
    insertAll(database, TABLE, COLUMNS, articles)
  })()
}

function insertAll(
  database: Database.Database,
  table: string,
  names: readonly string[],
  rows: readonly object[],
): void {
  const columns = names.map((name) => `"${name}"`).join(', ')
  const values = names.map((name) => `@${name}`).join(', ')
  const insert = database.prepare<[object]>(`insert into ${table} (${columns}) values (${values})`)
  for (const row of rows) insert.run(row)
}
