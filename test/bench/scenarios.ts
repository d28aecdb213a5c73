import type { Request } from 'autocannon'
import { type Article, KEPT_PATH, PATH } from './article.ts'

/** One kind of request, in enough variants that no answer is served from luck. */
export interface Scenario {
  readonly name: string
  /** The status that every answer must have; undefined: any that says that it went well. */
  readonly status: number | undefined
  readonly requests: readonly Request[]
}

const VARIANTS = 500
const DEEP = 50_000

/** All scenarios over the stored articles, reads first: writes make the table grow. */
export function makeScenarios(articles: readonly Article[]): readonly Scenario[] {
  const step = Math.max(1, Math.floor(articles.length / VARIANTS))
  const some = articles.filter((_, at) => at % step === 0).slice(0, VARIANTS)
  const newest = 'filter[status]=published&sort=-createdAt&limit=20'
  const deep = Math.min(DEEP, Math.floor(articles.length / 2))
  return [
    { name: 'get', status: 200, requests: some.map(({ id }) => read(`/${id}`)) },
    { name: 'list', status: 200, requests: [read(`?${newest}&offset=0`)] },
    { name: 'include', status: 200, requests: [read(`?${newest}&offset=0&include=writer`)] },
    { name: 'list+total', status: 200, requests: [read(`?${newest}&page=1`)] },
    { name: 'deep', status: 200, requests: [read(`?limit=20&offset=${deep}`)] },
    { name: 'invalid', status: 422, requests: some.map(() => write('POST', '', INVALID)) },
    {
      name: 'patch',
      status: 200,
      requests: some.map(({ id, views }) => write('PATCH', `/${id}`, { views: views + 1 })),
    },
    { name: 'create', status: 201, requests: some.map((article) => write('POST', '', sent(article))) },
    {
      name: 'create+kept',
      status: 201,
      requests: some.map((article) => ({ ...write('POST', '', sent(article)), path: KEPT_PATH })),
    },
    { name: 'mixed', status: undefined, requests: some.map(mixed) },
  ]
}

/** Of a hundred requests 80 read, 15 change a record and 5 make one, in an order that is always the same. */
function mixed(article: Article, at: number): Request {
  const turn = (at * 37) % 100
  if (turn < 80) return read(`/${article.id}`)
  return turn < 95
    ? write('PATCH', `/${article.id}`, { views: article.views + 2 })
    : write('POST', '', sent(article))
}

const INVALID = { title: 5, body: 'x', status: 'lost', author: 'ann', views: -1 }

const sent = ({ title, body, status, author, price }: Article) => ({ title, body, status, author, price })

const read = (below: string): Request => ({ method: 'GET', path: `${PATH}${below}` })

const write = (method: string, below: string, body: unknown): Request => ({
  method,
  path: `${PATH}${below}`,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
