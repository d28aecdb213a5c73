import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createUuidV7, systemEnvironment } from '@svc/kernel'
import Database from 'better-sqlite3'
import {
  createAdmin,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { type Article, COLUMNS, DEFINITION, PATH, TABLE } from './article.ts'
import { residentMib } from './resident.ts'

const ROWS = 1_000_000
const EXPORTED = 100_000
const PAGE = 20
const TIMES = 101
/** The last page may take this much of the first one's time. */
const GOAL_RATIO = 1.5
const GOAL_MIB = 64

/** Times the first and the last page of a walk by cursor, and weighs an export; prints both. */
export async function measureWalks(folder: TestFolder, articles: readonly Article[]): Promise<void> {
  const config = folder.write(
    testConfig({ sqlite: { path: 'walks.db' }, rate_limit: { enabled: false } }),
    'walks.json',
  )
  const password = await createAdmin(config)
  const server = await startServer(config, { cwd: folder.path })
  try {
    const token = await signIn(server.request, password)
    await server.request('POST', '/api/v1/domains', { token, body: { content: DEFINITION } })
    fill(join(folder.path, 'walks.db'), articles)
    // The server has closed the connection meanwhile; this process is to notice before it asks again.
    await delay(100)
    console.log(`walks over ${ROWS} rows`)
    await walk(server, token)
    await exportRows(server, token, articles)
  } finally {
    await server.stop()
  }
}

/** The articles again and again, each time later, until there are enough. */
function fill(path: string, articles: readonly Article[]): void {
  const database = new Database(path)
  const columns = COLUMNS.map((name) => `"${name}"`).join(', ')
  const values = COLUMNS.map((name) => `@${name}`).join(', ')
  const insert = database.prepare<[Article]>(`insert into ${TABLE} (${columns}) values (${values})`)
  let time = 0
  const newId = createUuidV7({ ...systemEnvironment, now: () => time })
  const span = Date.parse(articles.at(-1)!.createdAt) - Date.parse(articles[0]!.createdAt) + 1
  for (let round = 0; round < ROWS / articles.length; round += 1) {
    database.transaction(() => {
      for (const { writerId: _, ...article } of articles) {
        time = Date.parse(article.createdAt) + round * span
        insert.run({ ...article, writerId: null, id: newId(), createdAt: new Date(time).toISOString() })
      }
    })()
  }
  database.close()
}

async function walk({ request }: ServerProcess, token: string): Promise<void> {
  const page = async (cursor: string, limit: number): Promise<{ nextCursor: string | null }> =>
    (await request('GET', `${PATH}?limit=${limit}&cursor=${encodeURIComponent(cursor)}`, { token })).body.data
  let last = ''
  for (let next: string | null = ''; next !== null; next = (await page(last, 1000)).nextCursor) last = next
  const times: { first: number[]; last: number[] } = { first: [], last: [] }
  for (let at = 0; at < TIMES; at += 1) {
    times.first.push(await timed(() => page('', PAGE)))
    times.last.push(await timed(() => page(last, PAGE)))
  }
  const [first, end] = [median(times.first), median(times.last)]
  const ratio = end / first
  console.log(
    `  cursor   last page ${end.toFixed(2)} ms, first ${first.toFixed(2)} ms: ${ratio.toFixed(2)} (goal ${GOAL_RATIO})`,
  )
}

async function exportRows(
  { url, pid }: ServerProcess,
  token: string,
  articles: readonly Article[],
): Promise<void> {
  const until = articles[EXPORTED - 1]!.createdAt
  const before = residentMib(pid)
  let peak = before
  let lines = 0
  const started = performance.now()
  const answer = await fetch(`${url}${PATH}/export?filter[createdAt][lte]=${until}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  for await (const chunk of answer.body!) {
    lines += Buffer.from(chunk).filter((byte) => byte === 10).length
    peak = Math.max(peak, residentMib(pid))
  }
  const took = performance.now() - started
  const growth = peak - before
  console.log(
    `  export   ${lines - 1} rows in ${(took / 1000).toFixed(1)} s, memory grew by ${growth.toFixed(0)} MiB (goal ${GOAL_MIB})`,
  )
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!
