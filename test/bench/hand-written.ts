// The yardstick: what a careful person writes by hand for these few endpoints and nothing else. A verified token
// is remembered, bodies are checked, statements are prepared, and commits are as durable as the other side's.
import { serve } from '@hono/node-server'
import { createUuidV7, systemEnvironment } from '@svc/kernel'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { jwtVerify } from 'jose'
import { z } from 'zod'
import { type Article, KEPT_PATH, PATH, STATUSES } from './article.ts'
import type { ArticleTable } from './article-table.ts'
import { openPostgresTable } from './postgres-table.ts'
import { openSqliteTable } from './sqlite-table.ts'
import { parseStoreName, type StoreName } from './store-name.ts'

/** How the articles are reached on each store; the place is a file, or the URL of a database. */
const OPEN_TABLE = {
  sqlite: openSqliteTable,
  postgres: openPostgresTable,
} as const satisfies Record<StoreName, (place: string) => ArticleTable>

const [store, place = '', secret = '', mode] = process.argv.slice(2)
/** Whether every request has its token verified anew. */
const isForgetful = mode === '--verify'
const articles = OPEN_TABLE[parseStoreName(store)](place)

const fields = {
  title: z.string().max(200),
  body: z.string(),
  status: z.enum(STATUSES),
  author: z.string().max(80),
  views: z.int().min(0),
  price: z.number().min(0).nullable(),
  publishedAt: z.iso.datetime({ offset: true }).nullable(),
  writerId: z.uuid().nullable(),
}
const NewArticle = z.strictObject({
  ...fields,
  status: fields.status.default('draft'),
  views: fields.views.default(0),
  price: fields.price.default(null),
  publishedAt: fields.publishedAt.default(null),
  writerId: fields.writerId.default(null),
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

async function list(context: Context): Promise<Response> {
  const limit = Math.min(Math.max(number(context.req.query('limit'), 50), 1), 1000)
  const page = context.req.query('page')
  const offset = page === undefined ? number(context.req.query('offset'), 0) : (number(page, 1) - 1) * limit
  const status = context.req.query('filter[status]')
  const read = await (status === undefined
    ? articles.oldest({ limit, offset })
    : articles.newest(status, { limit, offset }))
  const items = context.req.query('include') === 'writer' ? await withWriters(read) : read
  if (page === undefined) return answer(200, { items, count: items.length })
  const total = await articles.count(status)
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

async function withWriters(read: readonly Article[]): Promise<readonly object[]> {
  const ids = new Set(read.flatMap(({ writerId }) => writerId ?? []))
  const writers = new Map((await articles.writers([...ids])).map((writer) => [writer.id, writer]))
  return read.map((article) => ({ ...article, writer: writers.get(article.writerId ?? '') ?? null }))
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
  await articles.insert(article)
  return answer(201, article)
}

app.use(`${PATH}/*`, guard)
app.use(KEPT_PATH, guard)
app.get('/health', () => Response.json({ status: 'healthy' }))
app.get(PATH, list)
app.get(`${PATH}/:id`, async (context) => {
  const article = await articles.get(context.req.param('id'))
  return article === undefined ? refuse(404, 'NOT_FOUND') : answer(200, article)
})
app.post(PATH, create)
app.post(KEPT_PATH, create)
app.patch(`${PATH}/:id`, async (context) => {
  const body = Change.safeParse(await context.req.json())
  if (!body.success) return refuse(422, 'VALIDATION_ERROR', faults(body.error))
  const changed = { ...body.data, updatedAt: new Date().toISOString() }
  const article = await articles.update(context.req.param('id'), changed)
  return article === undefined ? refuse(404, 'NOT_FOUND') : answer(200, article)
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(JSON.stringify({ msg: 'rest.listening', url: `http://127.0.0.1:${port}` }))
})
process.stdin.on('end', () => process.exit(0)).resume()
