import { createUuidV7, systemEnvironment } from '@svc/kernel'

const ARTICLE = `
      object:
        title: { type: string, required: true, maxLength: 200 }
        body: { type: text, required: true }
        status: { type: string, enum: [draft, published, archived], default: draft }
        author: { type: string, required: true, maxLength: 80 }
        views: { type: integer, min: 0, default: 0 }
        price: { type: decimal, min: 0 }
        publishedAt: datetime
        createdAt: { type: datetime, autoNow: create }
        updatedAt: { type: datetime, autoNow: update }
      relationships:
        writer: { type: belongsTo, target: Writer }
      indexes:
        - fields: [status, createdAt]
        - fields: [createdAt]
        - fields: [author]
      permissions:
        list: [authenticated]
        get: [authenticated]
        create: [authenticated]
        update: [authenticated]
        delete: [authenticated]`

/** The definition that is served on one side, and written by hand on the other. */
export const DEFINITION = `
domain:
  name: bench
  version: '1.0.0'
  resources:
    Writer:
      object:
        name: { type: string, required: true }
        about: text
        since: date
      permissions: { list: [authenticated], get: [authenticated] }
    Article:${ARTICLE}
      features: { export: true }
    Kept:${ARTICLE}
      features: { audit: true, versioning: true }
`

export const TABLE = 'bench_article'
export const PATH = '/api/v1/bench/articles'
/** The same with every change on record; by hand it is the same table as the other, and nothing is on record. */
export const KEPT_PATH = '/api/v1/bench/kepts'
export const STATUSES = ['draft', 'published', 'archived'] as const

/** A row as the table holds it. Times are RFC 3339 texts in UTC. */
export interface Article {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly status: (typeof STATUSES)[number]
  readonly author: string
  readonly views: number
  readonly price: number | null
  readonly publishedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly writerId: string | null
}

/** Who wrote some of the articles. */
export interface Writer {
  readonly id: string
  readonly name: string
  readonly about: string | null
  readonly since: string | null
}

export const WRITER_TABLE = 'bench_writer'
export const WRITER_COLUMNS = ['id', 'name', 'about', 'since'] as const satisfies readonly (keyof Writer)[]

export const COLUMNS = [
  'id',
  'title',
  'body',
  'status',
  'author',
  'views',
  'price',
  'publishedAt',
  'createdAt',
  'updatedAt',
  'writerId',
] as const satisfies readonly (keyof Article)[]

const WRITERS = 500
const FIRST = Date.UTC(2025, 0, 1)
const EVERY_MS = 60_000
const WORDS = 'harbour bicycle repair window morning ledger paper quiet engine garden river market'.split(' ')

/** The writers of the articles: their keys follow from their numbers. */
export const WRITER_ROWS: readonly Writer[] = Array.from({ length: WRITERS }, (_, at) => ({
  id: `0190a000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`,
  name: `author-${at}`,
  about: WORDS.slice(0, 3 + (at % 9)).join(' '),
  since: `2020-01-${String(1 + (at % 28)).padStart(2, '0')}`,
}))

/** `count` articles of about 540 bytes, the same ones for the same count but for their keys. */
export function makeArticles(count: number): readonly Article[] {
  let time = FIRST
  const newId = createUuidV7({ ...systemEnvironment, now: () => time })
  return Array.from({ length: count }, (_, at) => {
    time = FIRST + at * EVERY_MS
    const createdAt = new Date(time).toISOString()
    const status = STATUSES[at % STATUSES.length]!
    return {
      id: newId(),
      title: `${words(at, 5)} ${at}`,
      body: words(at * 7, 48),
      status,
      author: `author-${at % 500}`,
      views: (at * 37) % 10_000,
      price: at % 4 === 0 ? null : (at % 1000) / 4,
      publishedAt: status === 'published' ? createdAt : null,
      createdAt,
      updatedAt: createdAt,
      writerId: WRITER_ROWS[at % WRITERS]!.id,
    }
  })
}

const words = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, at) => WORDS[(seed * 31 + at * at) % WORDS.length]).join(' ')
