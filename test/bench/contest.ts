import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Config } from '@svc/kernel'
import { createRequest } from '../kit/request.ts'
import {
  createAdmin,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { type Article, DEFINITION } from './article.ts'
import type { Databases } from './databases.ts'
import { openPostgresDatabases } from './postgres-databases.ts'
import { openSqliteDatabases } from './sqlite-databases.ts'
import type { StoreName } from './store-name.ts'

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
  /** What is to be known about the figures on this store. */
  readonly remarks: readonly string[]
  /** Stops both servers, and removes what they stored. */
  stop(): Promise<void>
}

const SECRET = 'a secret of the bench that is long enough'
const DAY_SECONDS = 86_400

/** Makes two empty databases; files go into the folder. */
export const OPEN_DATABASES = {
  sqlite: openSqliteDatabases,
  postgres: openPostgresDatabases,
} as const satisfies Record<StoreName, (folder: TestFolder) => Promise<Databases>>

interface ContestOptions {
  /** Further options for svc's process. */
  readonly node: readonly string[]
  /** Whether the server by hand verifies the token of every request, and remembers none. */
  readonly isVerifying: boolean
  /** What both servers store in; SQLite unless said. */
  readonly store?: StoreName
}

/** Prepares both databases, with files in `folder`, and starts both servers. */
export async function startContest(
  folder: TestFolder,
  articles: readonly Article[],
  { node, isVerifying, store = 'sqlite' }: ContestOptions,
): Promise<Contest> {
  const databases = await OPEN_DATABASES[store](folder)
  const contestants: Contestant[] = []
  const stop = async () => {
    for (const one of contestants) await one.stop()
    await databases.close()
  }
  try {
    const config = folder.write(configOf(databases))
    const token = await define(config)
    await databases.fill(articles)
    const ours: Contestant = {
      name: 'svc',
      ...(await startServer(config, { node, cwd: folder.path })),
    }
    contestants.push(ours)
    const theirs = await startByHand(store, databases.byHand, isVerifying)
    contestants.push(theirs)
    return { contestants: [ours, theirs], token, remarks: databases.remarks, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const configOf = (databases: Databases): Config =>
  testConfig({
    logging: { level: 'info', format: 'json' },
    ...databases.config,
    auth: { jwt: { secret: SECRET, access_token_ttl_seconds: DAY_SECONDS } },
    rate_limit: { max_requests: 1_000_000_000 },
  })

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

async function startByHand(store: StoreName, place: string, isVerifying: boolean): Promise<Contestant> {
  const program = fileURLToPath(new URL('./hand-written.ts', import.meta.url))
  const args = [...process.execArgv, program, store, place, SECRET, ...(isVerifying ? ['--verify'] : [])]
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
    readonly status: number | undefined
    readonly requests: readonly { readonly method: string; readonly path: string; readonly body?: string }[]
  }[],
): Promise<void> {
  for (const { name, status, requests } of scenarios) {
    // What is made of others that are compared themselves.
    if (status === undefined) continue
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

const WORDING = new Set(['error_message', 'message', 'label', '_meta'])

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
