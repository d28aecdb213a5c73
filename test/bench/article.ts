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
}

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
] as const satisfies readonly (keyof Article)[]

const FIRST = Date.UTC(2025, 0, 1)
const EVERY_MS = 60_000
const WORDS = 'harbour bicycle repair window morning ledger paper quiet engine garden river market'.split(' ')

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
    }
  })
}

const words = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, at) => WORDS[(seed * 31 + at * at) % WORDS.length]).join(' ')
