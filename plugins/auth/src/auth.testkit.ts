import { type Action, createKernel, type Inbound, type Plugin, systemEnvironment } from '@svc/kernel'
import { ratelimit } from '@svc/ratelimit'
import { onTestFinished } from 'vitest'
import type { StoreUnderTest, TestDatabase } from '../../../test/kit/stores.ts'
import type { SignIn } from './contract.ts'
import { AccountsCapability } from './contract.ts'
import { auth } from './index.ts'

export const SECRET = 'a secret of more than thirty-two characters'
export const PASSWORD = 'Correct-horse-7'

export interface Request {
  readonly body?: unknown
  readonly token?: string
  /** The whole header, in place of a bearer token. */
  readonly authorization?: string
  readonly query?: Readonly<Record<string, string>>
  readonly remote?: string
}

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReturnType<typeof JSON.parse>
}

export interface Options {
  readonly database?: TestDatabase
  readonly auth?: Readonly<Record<string, unknown>>
  readonly environment?: 'production' | 'development'
  /** The instant that the clock shows, in milliseconds since 1970; now unless said. */
  readonly startsAt?: number
  readonly plugins?: readonly Plugin[]
  readonly actions?: readonly Action[]
}

/** A server with accounts and without a transport; its clock stands still until it is moved. */
export type TestServer = Awaited<ReturnType<typeof startServer>>

/** Starts accounts on `store`; everything is gone when the test is over. */
export async function startServer(store: StoreUnderTest, options: Options = {}) {
  const database = options.database ?? (await store.open())
  const clock = { ms: options.startsAt ?? Date.now() }
  const kernel = createKernel({
    config: { ...database.config(), auth: { jwt: { secret: SECRET }, ...options.auth }, rate_limit: {} },
    plugins: [store.plugin, auth, ratelimit, ...(options.plugins ?? [])],
    environment: options.environment ?? 'development',
    env: { ...systemEnvironment, now: () => clock.ms },
  })
  await kernel.start()
  kernel.actions.add(...(options.actions ?? []))
  onTestFinished(async () => {
    await kernel.stop()
    if (options.database === undefined) await database.drop()
  })
  const accounts = kernel.get(AccountsCapability)

  const request = async (line: string, given: Request = {}): Promise<Response> => {
    const { action, params } = route(kernel.actions.list(), line)
    const answer = await kernel.pipeline.run(action, inboundOf(params, given))
    return { ...answer, body: answer.body === undefined ? undefined : JSON.parse(String(answer.body)) }
  }

  return {
    kernel,
    accounts,
    clock,
    database,
    request,
    async login(username: string, password = PASSWORD): Promise<SignIn> {
      const answer = await request('POST /api/v1/auth/login', { body: { username, password } })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body.data
    },
    async create(username: string, roles: readonly string[] = []) {
      return accounts.create({ username, email: `${username}@example.com`, password: PASSWORD, roles })
    },
  }
}

function inboundOf(params: Record<string, string>, given: Request): Inbound {
  const authorization =
    given.authorization ?? (given.token === undefined ? undefined : `Bearer ${given.token}`)
  return {
    id: 'r1',
    transport: 'test',
    remote: given.remote ?? '192.0.2.1',
    params,
    query: given.query ?? {},
    meta: (name) => (name === 'authorization' ? authorization : undefined),
    ...(given.body === undefined ? {} : { read: () => given.body }),
    signal: new AbortController().signal,
  }
}

function route(actions: readonly Action[], line: string) {
  for (const action of actions) {
    for (const pattern of action.routes ?? []) {
      const params = match(pattern, line)
      if (params) return { action, params }
    }
  }
  throw new Error(`no action has the route '${line}'`)
}

function match(pattern: string, line: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), line.split('/')]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = given[at] ?? ''
    else if (part !== given[at]) return undefined
  }
  return params
}
