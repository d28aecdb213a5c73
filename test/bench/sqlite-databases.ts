import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { TestFolder } from '../kit/server-process.ts'
import { type Article, COLUMNS, TABLE } from './article.ts'
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
    .prepare<[string], { sql: string }>(
      'select sql from sqlite_master where tbl_name = ? and sql is not null',
    )
    .all(TABLE)
  target.pragma('journal_mode = wal')
  target.exec(schema.map(({ sql }) => sql).join(';\n'))
  for (const database of [source, target]) {
    fill(database, articles)
    database.pragma('wal_checkpoint(truncate)')
    database.close()
  }
}

function fill(database: Database.Database, articles: readonly Article[]): void {
  const columns = COLUMNS.map((name) => `"${name}"`).join(', ')
  const values = COLUMNS.map((name) => `@${name}`).join(', ')
  const insert = database.prepare<[Article]>(`insert into ${TABLE} (${columns}) values (${values})`)
  database.transaction(() => {
    for (const article of articles) insert.run(article)
  })()
}
