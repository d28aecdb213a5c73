// The yardstick: what a careful person writes by hand for these few endpoints and nothing else. A verified token
// is remembered, bodies are checked, statements are prepared, and commits are as durable as the other side's.
import { serve } from '@hono/node-server'
import { createUuidV7, systemEnvironment } from '@svc/kernel'
import Database from 'better-sqlite3'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { jwtVerify } from 'jose'
import { z } from 'zod'
import { type Article, COLUMNS, KEPT_PATH, PATH, STATUSES, TABLE } from './article.ts'

const [file = '', secret = '', mode] = process.argv.slice(2)
/** Whether every request has its token verified anew. */
const isForgetful = mode === '--verify'

const database = new Database(file)
database.pragma('journal_mode = wal')
database.pragma('synchronous = full')
database.pragma('foreign_keys = on')
database.pragma('cache_size = -32768')
database.pragma('wal_autocheckpoint = 4000')

const columns = COLUMNS.map((name) => `"${name}"`).join(', ')
const values = COLUMNS.map((name) => `@${name}`).join(', ')
const newestFirst = 'order by "createdAt" desc, "id" desc limit ? offset ?'
const oldestFirst = 'order by "createdAt", "id" limit ? offset ?'

const statements = {
  get: database.prepare<[string], Article>(`select ${columns} from ${TABLE} where "id" = ?`),
  list: database.prepare<[string, number, number], Article>(
    `select ${columns} from ${TABLE} where "status" = ? ${newestFirst}`,
  ),
  all: database.prepare<[number, number], Article>(`select ${columns} from ${TABLE} ${oldestFirst}`),
  count: database.prepare<[string], { total: number }>(
    `select count(*) total from ${TABLE} where "status" = ?`,
  ),
  countAll: database.prepare<[], { total: number }>(`select count(*) total from ${TABLE}`),
  insert: database.prepare<[Article]>(`insert into ${TABLE} (${columns}) values (${values})`),
}

const fields = {
  title: z.string().max(200),
  body: z.string(),
  status: z.enum(STATUSES),
  author: z.string().max(80),
  views: z.int().min(0),
  price: z.number().min(0).nullable(),
  publishedAt: z.iso.datetime({ offset: true }).nullable(),
}
const NewArticle = z.strictObject({
  ...fields,
  status: fields.status.default('draft'),
  views: fields.views.default(0),
  price: fields.price.default(null),
  publishedAt: fields.publishedAt.default(null),
})
const Change = z.strictObject(fields).partial()

const newId = createUuidV7(systemEnvironment)
const key = new TextEncoder().encode(secret)
/** When each token that was good ends, in seconds. */
const verified = new Map<string, number>()

async function isGood(token: string): Promise<boolean> {
  const known = verified.get(token)
  if (known !== undefined) return known > Date.now() / 1000
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], issuer: 'svc' })
    if (verified.size > 10_000) verified.clear()
    if (!isForgetful) verified.set(token, payload.exp ?? 0)
    return true
  } catch {
    return false
  }
}

const answer = (status: number, data: unknown) =>
  new Response(JSON.stringify({ status: 'ok', code: status, data }), { status, headers: JSON_TYPE })
const refuse = (status: number, error_code: string, errors?: unknown) =>
  new Response(
    JSON.stringify({ status: 'error', code: status, error_code, error_message: error_code, errors }),
    { status, headers: JSON_TYPE },
  )
const JSON_TYPE = { 'content-type': 'application/json' }

const RULES: Record<string, string> = { invalid_type: 'type', too_small: 'min', invalid_value: 'enum' }
const faults = ({ issues }: z.ZodError) =>
  issues.map(({ path, code, message }) => ({ field: path.join('.'), rule: RULES[code] ?? code, message }))

const number = (text: string | undefined, fallback: number) =>
  text === undefined ? fallback : Number(text) || 0

function list(context: Context): Response {
  const limit = Math.min(Math.max(number(context.req.query('limit'), 50), 1), 1000)
  const page = context.req.query('page')
  const offset = page === undefined ? number(context.req.query('offset'), 0) : (number(page, 1) - 1) * limit
  const status = context.req.query('filter[status]')
  const items =
    status === undefined ? statements.all.all(limit, offset) : statements.list.all(status, limit, offset)
  if (page === undefined) return answer(200, { items, count: items.length })
  const { total } = (status === undefined ? statements.countAll.get() : statements.count.get(status))!
  const total_pages = Math.ceil(total / limit)
  return answer(200, {
    items,
    count: items.length,
    totalCount: total,
    meta: {
      total,
      page: Number(page),
      per_page: limit,
      total_pages,
      has_next: Number(page) < total_pages,
      has_prev: Number(page) > 1,
    },
  })
}

const updates = new Map<string, Database.Statement<[Record<string, unknown>], Article>>()

/** Updates are prepared once for each set of columns. */
function update(names: readonly string[]): Database.Statement<[Record<string, unknown>], Article> {
  const sql = `update ${TABLE} set ${names.map((name) => `"${name}" = @${name}`).join(', ')} where "id" = @id returning ${columns}`
  const known = updates.get(sql)
  if (known !== undefined) return known
  const prepared = database.prepare<[Record<string, unknown>], Article>(sql)
  updates.set(sql, prepared)
  return prepared
}

const app = new Hono()

const guard: MiddlewareHandler = async (context, next) => {
  const [scheme, token = ''] = (context.req.header('authorization') ?? '').split(' ')
  if (scheme !== 'Bearer' || !(await isGood(token))) return refuse(401, 'UNAUTHORIZED')
  return next()
}
async function create(context: Context): Promise<Response> {
  const body = NewArticle.safeParse(await context.req.json())
  if (!body.success) return refuse(422, 'VALIDATION_ERROR', faults(body.error))
  const now = new Date().toISOString()
  const article: Article = { id: newId(), ...body.data, createdAt: now, updatedAt: now }
  statements.insert.run(article)
  return answer(201, article)
}

app.use(`${PATH}/*`, guard)
app.use(KEPT_PATH, guard)
app.get('/health', () => Response.json({ status: 'healthy' }))
app.get(PATH, list)
app.get(`${PATH}/:id`, (context) => {
  const article = statements.get.get(context.req.param('id'))
  return article === undefined ? refuse(404, 'NOT_FOUND') : answer(200, article)
})
app.post(PATH, create)
app.post(KEPT_PATH, create)
app.patch(`${PATH}/:id`, async (context) => {
  const body = Change.safeParse(await context.req.json())
  if (!body.success) return refuse(422, 'VALIDATION_ERROR', faults(body.error))
  const changed = { ...body.data, updatedAt: new Date().toISOString() }
  const article = update(Object.keys(changed)).get({ ...changed, id: context.req.param('id') })
  return article === undefined ? refuse(404, 'NOT_FOUND') : answer(200, article)
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(JSON.stringify({ msg: 'rest.listening', url: `http://127.0.0.1:${port}` }))
})
process.stdin.on('end', () => process.exit(0)).resume()
