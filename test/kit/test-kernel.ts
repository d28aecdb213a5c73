import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { AccountsCapability } from '@svc/auth/contract'
import { type Config, createKernel, type Kernel, type Plugin } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { standardPlugins } from '@svc/server'
import { afterAll, beforeAll, beforeEach, onTestFailed } from 'vitest'
import { type Clock, createClock, START } from './clock.ts'
import { askedIdentifiers } from './identifiers.ts'
import { scratchFolder } from './memory.ts'
import { createTestLog, failureOf, type LogEntry } from './log.ts'
import { createRequest, type SendRequest } from './request.ts'
import { standardTables } from './standard-tables.ts'
import type { StoreUnderTest, TestDatabase } from './stores.ts'

export interface TestKernelOptions {
  readonly store: StoreUnderTest
  /** Plugins beside the standard ones. */
  readonly plugins?: readonly Plugin[]
  /** Standard plugins that are left out, so that others may own what they do. */
  readonly without?: readonly string[]
  /** Sections that are laid over those of the test. */
  readonly config?: Config
  /** A definition that is submitted before the first test. */
  readonly definition?: string
  readonly environment?: 'production' | 'development'
  /** Where all random bytes come from, in place of the system: two servers with equal ones make equal ids. */
  readonly randomBytes?: Clock['randomBytes']
}

/** A whole server inside the test's process, on a database of its own. */
export interface TestKernel {
  readonly kernel: Kernel
  readonly clock: Clock
  /** Where it keeps what it keeps. */
  readonly database: TestDatabase
  /** Everything that was logged so far, the oldest first. */
  readonly log: readonly LogEntry[]
  /** Sends a request past the socket; everything behind it is real. Where a test fails, what was thrown behind a 500 is shown. */
  readonly request: SendRequest
  /** A token of an account with the role `admin`. */
  readonly admin: string
  /** Makes an account with `roles`, creating the roles that are missing; answers its id and a token. */
  account(username: string, roles?: readonly string[]): Promise<TestAccount>
  /** Submits a definition as the administrator; throws unless it was applied. */
  submit(definition: string, options?: { readonly allow_destructive?: boolean }): Promise<void>
  stop(): Promise<void>
}

export interface TestAccount {
  readonly id: string
  readonly token: string
}

const PASSWORD = 'Correct-horse-7'
/** What signs the tokens of every test server. */
export const SECRET = 'a secret of tests that is long enough'

/** How many entries of a log are shown where a test fails. */
const TROUBLES = 20

/** Starts the standard plugins and those of the test over an empty database. */
export async function startTestKernel(options: TestKernelOptions): Promise<TestKernel> {
  const database = await options.store.open(standardTables)
  // Whoever says nothing of files keeps none of them beside the tests.
  const folder = mkdtempSync(join(scratchFolder, 'svc-files-'))
  const sections = {
    ...database.config(),
    ...(!options.without?.includes('files') && { files: { root: folder } }),
    rest: { port: 0 },
    auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 900 } },
    rate_limit: { enabled: false },
    ...options.config,
  }
  const clock = createClock(START, options.randomBytes)
  const { logger, entries } = createTestLog()
  const kernel = createKernel({
    config: sections,
    plugins: [
      ...standardPlugins(sections).filter(({ name }) => !options.without?.includes(name)),
      ...(options.plugins ?? []),
    ],
    environment: options.environment ?? 'production',
    env: clock,
    log: logger,
  })
  const stop = async () => {
    await kernel.stop()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await kernel.start()
    return await prepared({ kernel, clock, database, log: entries, stop }, options.definition)
  } catch (error) {
    await stop()
    throw error
  }
}

async function prepared(
  running: Pick<TestKernel, 'kernel' | 'clock' | 'database' | 'log' | 'stop'>,
  definition: string | undefined,
): Promise<TestKernel> {
  const { kernel, log } = running
  const http = kernel.get(HttpServerCapability)
  const asked = askedIdentifiers(tellingFailures(createRequest(http.url(), http.fetch), log))
  const { request } = asked
  const account = accountsOf(kernel, request)
  const { token: admin } = await account('admin', ['admin'])
  const submit: TestKernel['submit'] = async (content, more = {}) => {
    const { status, body } = await request('POST', '/api/v1/domains', {
      token: admin,
      body: { content, ...more },
    })
    if (status !== 201) throw new Error(`the definition was not applied: ${JSON.stringify(body)}`)
  }
  if (definition !== undefined) await submit(definition)
  const stop = async () => {
    await running.stop()
    asked.assertUntold(log)
  }
  return { ...running, stop, request, admin, account, submit }
}

/** An answer of 500 says nothing of what happened: a test that fails with one shows what the log has. */
function tellingFailures(request: SendRequest, log: readonly LogEntry[]): SendRequest {
  return async (...asked) => {
    const answer = await request(...asked)
    if (answer.status !== 500) return answer
    const [method, path] = asked
    const failure = failureOf(log, answer.headers.get('x-request-id'))
    const show = () =>
      void process.stderr.write(`${method} ${path} was answered with 500: ${inspect(failure)}\n`)
    try {
      onTestFailed(show)
    } catch {
      // Not inside a test: what comes of it shows there.
      show()
    }
    return answer
  }
}

/** A test that fails for what went wrong behind its back shows what the log has. */
function tellTroubles(log: readonly LogEntry[]): void {
  const isTrouble = ({ level, event }: LogEntry) =>
    level === 'warn' || level === 'error' || event === 'jobs.postponed'
  const troubles = log.filter(isTrouble).slice(-TROUBLES)
  for (const { level, event, fields } of troubles)
    process.stderr.write(`${level} ${event} ${inspect(fields, { depth: 4 })}\n`)
}

function accountsOf(kernel: Kernel, request: SendRequest): TestKernel['account'] {
  const accounts = kernel.get(AccountsCapability)
  return async (username, roles = []) => {
    const known = new Set((await accounts.listRoles()).map(({ name }) => name))
    for (const name of roles) if (!known.has(name)) await accounts.createRole({ name, description: name })
    const email = `${username}@example.org`
    const { id } = await accounts.create({ username, email, password: PASSWORD, roles, verified: true })
    const { body } = await request('POST', '/api/v1/auth/login', { body: { username, password: PASSWORD } })
    return { id, token: body.data.access_token }
  }
}

/** A TestKernel for all tests of the surrounding `describe`; call the answer inside tests. */
export function useTestKernel(options: TestKernelOptions): () => TestKernel {
  let running: TestKernel | undefined
  beforeAll(async () => {
    running = await startTestKernel(options)
  })
  afterAll(() => running?.stop())
  beforeEach(() => {
    const before = running?.log.length
    onTestFailed(() => tellTroubles(running?.log.slice(before) ?? []))
  })
  return () => {
    if (running === undefined) throw new Error('the test kernel runs inside tests only')
    return running
  }
}
