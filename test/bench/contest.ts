import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { createRequest } from '../kit/request.ts'
import {
  createAdmin,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { type Article, COLUMNS, DEFINITION, TABLE } from './article.ts'

/** A server that takes part. */
export interface Contestant {
  readonly name: 'svc' | 'by hand'
  readonly url: string
  readonly pid: number
  stop(): Promise<unknown>
}

/** Both servers over equal tables, and a token that is good on both. */
export interface Contest {
  readonly contestants: readonly [Contestant, Contestant]
  readonly token: string
}

const SECRET = 'a secret of the bench that is long enough'
const DAY_SECONDS = 86_400

interface ContestOptions {
  /** Further options for svc's process. */
  readonly node: readonly string[]
  /** Whether the server by hand verifies the token of every request, and remembers none. */
  readonly isVerifying: boolean
}

/** Prepares both databases in `folder` and starts both servers. */
export async function startContest(
  folder: TestFolder,
  articles: readonly Article[],
  { node, isVerifying }: ContestOptions,
): Promise<Contest> {
  const config = folder.write(
    testConfig({
      logging: { level: 'info', format: 'json' },
      sqlite: { path: 'svc.db' },
      auth: { jwt: { secret: SECRET, access_token_ttl_seconds: DAY_SECONDS } },
      rate_limit: { max_requests: 1_000_000_000 },
    }),
  )
  const token = await define(config)
  copy(join(folder.path, 'svc.db'), join(folder.path, 'by-hand.db'), articles)
  const ours = await startServer(config, { node, cwd: folder.path })
  const theirs = await startByHand(join(folder.path, 'by-hand.db'), isVerifying)
  return { contestants: [{ name: 'svc', ...ours }, theirs], token }
}

/** Lets svc make its table; answers a token of its administrator. */
async function define(config: string): Promise<string> {
  const password = await createAdmin(config)
  const server: ServerProcess = await startServer(config)
  const token = await signIn(server.request, password)
  const body = { content: DEFINITION }
  const answer = await server.request('POST', '/api/v1/domains', { token, body })
  await server.stop()
  if (answer.status !== 201) throw new Error(`the definition was not applied: ${JSON.stringify(answer.body)}`)
  return token
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

async function startByHand(file: string, isVerifying: boolean): Promise<Contestant> {
  const program = fileURLToPath(new URL('./hand-written.ts', import.meta.url))
  const args = [...process.execArgv, program, file, SECRET, ...(isVerifying ? ['--verify'] : [])]
  // The server ends with its standard input, however this process ends.
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url } = JSON.parse(line) as { url: string }
  const stop = async () => {
    child.stdin.end()
    await once(child, 'close')
  }
  return { name: 'by hand', url, pid: child.pid!, stop }
}

/** Throws unless both servers give the same answer to one request of each scenario; values of the moment apart. */
export async function assertEqualAnswers(
  { contestants, token }: Contest,
  scenarios: readonly {
    readonly name: string
    readonly status: number
    readonly requests: readonly { readonly method: string; readonly path: string; readonly body?: string }[]
  }[],
): Promise<void> {
  for (const { name, status, requests } of scenarios) {
    const { method, path, body } = requests[Math.floor(requests.length / 2)]!
    const answers = await Promise.all(
      contestants.map(({ url }) =>
        createRequest(url, fetch)(method, path, { token, ...(body !== undefined && { body }) }),
      ),
    )
    const [ours, theirs] = answers.map((answer) => JSON.stringify(comparable(answer.body, status)))
    if (answers.some((answer) => answer.status !== status) || ours !== theirs)
      throw new Error(`'${name}' is answered differently:\n svc     ${ours}\n by hand ${theirs}`)
  }
}

const WORDING = new Set(['error_message', 'message', 'label'])

/** An answer without its wording, its moment, and the key of a new record; keys in one order. */
function comparable(body: unknown, status: number): unknown {
  const ofTheMoment = new Set(['updatedAt', ...(status === 201 ? ['id', 'createdAt'] : [])])
  const simple = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(simple).sort(byText)
    if (typeof value !== 'object' || value === null) return value
    return Object.entries(value)
      .filter(([key]) => !WORDING.has(key) && !ofTheMoment.has(key))
      .map(([key, item]) => [key, simple(item)])
      .sort(byText)
  }
  return simple(body)
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
