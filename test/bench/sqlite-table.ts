import Database from 'better-sqlite3'
import { type Article, COLUMNS, TABLE, type Writer, WRITER_COLUMNS, WRITER_TABLE } from './article.ts'
import type { ArticleTable } from './article-table.ts'

const columns = COLUMNS.map((name) => `"${name}"`).join(', ')
const values = COLUMNS.map((name) => `@${name}`).join(', ')
const writerColumns = WRITER_COLUMNS.map((name) => `"${name}"`).join(', ')
const newestFirst = 'order by "createdAt" desc, "id" desc limit ? offset ?'
const oldestFirst = 'order by "createdAt", "id" limit ? offset ?'

/** The articles in an SQLite file. */
export function openSqliteTable(file: string): ArticleTable {
  const database = new Database(file)
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = full')
  database.pragma('foreign_keys = on')
  database.pragma('cache_size = -32768')
  database.pragma('wal_autocheckpoint = 4000')
  const statements = {
    get: database.prepare<[string], Article>(`select ${columns} from ${TABLE} where "id" = ?`),
    newest: database.prepare<[string, number, number], Article>(
      `select ${columns} from ${TABLE} where "status" = ? ${newestFirst}`,
    ),
    oldest: database.prepare<[number, number], Article>(`select ${columns} from ${TABLE} ${oldestFirst}`),
    writers: database.prepare<[string], Writer>(
      `select ${writerColumns} from ${WRITER_TABLE} where "id" in (select value from json_each(?))`,
    ),
    count: database.prepare<[string], { total: number }>(
      `select count(*) total from ${TABLE} where "status" = ?`,
    ),
    countAll: database.prepare<[], { total: number }>(`select count(*) total from ${TABLE}`),
    insert: database.prepare<[Article]>(`insert into ${TABLE} (${columns}) values (${values})`),
  }
  const update = prepareUpdates(database)
  return {
    get: (id) => statements.get.get(id),
    newest: (status, { limit, offset }) => statements.newest.all(status, limit, offset),
    oldest: ({ limit, offset }) => statements.oldest.all(limit, offset),
    writers: (ids) => statements.writers.all(JSON.stringify(ids)),
    count: (status) =>
      (status === undefined ? statements.countAll.get() : statements.count.get(status))!.total,
    insert: (article) => void statements.insert.run(article),
    update: (id, change) => update(Object.keys(change)).get({ ...change, id }),
  }
}

type Update = Database.Statement<[Record<string, unknown>], Article>

/** Updates are prepared once for each set of columns. */
function prepareUpdates(database: Database.Database): (names: readonly string[]) => Update {
  const updates = new Map<string, Update>()
  return (names) => {
    const sql = `update ${TABLE} set ${names.map((name) => `"${name}" = @${name}`).join(', ')} where "id" = @id returning ${columns}`
    const known = updates.get(sql)
    if (known !== undefined) return known
    const prepared = database.prepare<[Record<string, unknown>], Article>(sql)
    updates.set(sql, prepared)
    return prepared
  }
}
