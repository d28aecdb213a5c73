import { type CustomTypesConfig, Pool, type QueryResultRow, types } from 'pg'
import { type Article, COLUMNS, TABLE, type Writer, WRITER_COLUMNS, WRITER_TABLE } from './article.ts'
import type { ArticleTable } from './article-table.ts'

/** The most connections of each of the two servers: what `postgres.pool_size` is unless said. */
export const POOL_SIZE = 4

const columns = COLUMNS.map((name) => `"${name}"`).join(', ')
const writerColumns = WRITER_COLUMNS.map((name) => `"${name}"`).join(', ')
const values = COLUMNS.map((_, at) => `$${at + 1}`).join(', ')

/** The indexes hold nulls first: an order that says so is read off them, any other is sorted anew for each page. */
const STATEMENTS = {
  get: `select ${columns} from ${TABLE} where "id" = $1`,
  newest: `select ${columns} from ${TABLE} where "status" = $1 order by "createdAt" desc nulls last, "id" desc limit $2 offset $3`,
  oldest: `select ${columns} from ${TABLE} order by "createdAt" nulls first, "id" limit $1 offset $2`,
  writers: `select ${writerColumns} from ${WRITER_TABLE} where "id" = any($1)`,
  count: `select count(*) as total from ${TABLE} where "status" = $1`,
  countAll: `select count(*) as total from ${TABLE}`,
  insert: `insert into ${TABLE} (${columns}) values (${values})`,
}

/** The articles in a PostgreSQL database. Every statement is prepared once on each connection. */
export function openPostgresTable(url: string): ArticleTable {
  const pool = new Pool({
    connectionString: url,
    max: POOL_SIZE,
    keepAlive: true,
    types: parsers,
    onConnect: async (client) => void (await client.query("set timezone = 'UTC'; set datestyle = 'ISO'")),
  })
  // An 'error' without a listener ends the process; the next query opens a new connection.
  pool.on('error', (error) => console.error(error))
  const run = async <R extends QueryResultRow>(name: string, text: string, bound: unknown[]): Promise<R[]> =>
    (await pool.query<R>({ name, text, values: bound })).rows
  const nameUpdate = updateNames()
  return {
    async get(id) {
      if (!UUID.test(id)) return undefined
      return (await run<Article>('get', STATEMENTS.get, [id]))[0]
    },
    newest: (status, { limit, offset }) => run<Article>('newest', STATEMENTS.newest, [status, limit, offset]),
    oldest: ({ limit, offset }) => run<Article>('oldest', STATEMENTS.oldest, [limit, offset]),
    writers: (ids) => run<Writer>('writers', STATEMENTS.writers, [ids]),
    async count(status) {
      const rows =
        status === undefined
          ? run<Total>('countAll', STATEMENTS.countAll, [])
          : run<Total>('count', STATEMENTS.count, [status])
      return (await rows)[0]!.total
    },
    async insert(article) {
      const bound = COLUMNS.map((name) => article[name])
      await run('insert', STATEMENTS.insert, bound)
    },
    async update(id, change) {
      if (!UUID.test(id)) return undefined
      const sql = updateOf(Object.keys(change))
      return (await run<Article>(nameUpdate(sql), sql, [...Object.values(change), id]))[0]
    },
  }
}

interface Total {
  readonly total: number
}

/** The server refuses to compare a key with anything else. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const updateOf = (names: readonly string[]): string => {
  const sets = names.map((name, at) => `"${name}" = $${at + 1}`).join(', ')
  return `update ${TABLE} set ${sets} where "id" = $${names.length + 1} returning ${columns}`
}

/** Names each update, one for each set of columns. */
function updateNames(): (sql: string) => string {
  const names = new Map<string, string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    const name = `update_${names.size}`
    names.set(sql, name)
    return name
  }
}

/** `2026-01-31 10:20:30.5+00` as RFC 3339 has it, to the millisecond. */
function instant(text: string): string {
  const time = text.slice(11, -3)
  return `${text.slice(0, 10)}T${time.length === 8 ? `${time}.000` : time.padEnd(12, '0')}Z`
}

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.TIMESTAMPTZ, instant],
])

const verbatim = (text: string): string => text
const parsers: CustomTypesConfig = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? verbatim }
