import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Config } from '@svc/kernel'
import { standardPlugins } from '@svc/server'
import { afterAll, beforeAll } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import type { TestAnswer } from '../kit/request.ts'
import {
  createFolder,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import type { StoreUnderTest, TestDatabase } from '../kit/stores.ts'

/** A server in a process of its own, which dies as by kill -9 at a moment that is said before. */
export interface KillableServer {
  readonly database: TestDatabase
  send(method: string, path: string, body?: unknown): Promise<TestAnswer>
  /** The process that runs now, with the token of its administrator. */
  readonly now: { readonly server: ServerProcess; readonly token: string }
  /** Has it die at a moment of what it writes from now on: in the next change of a definition, or in transactions. */
  arm(moment: Moment, of?: 'definition' | 'transactions'): void
  /** Waits so long at most for its death, takes back what was said of that, and starts it again if it is dead. Answers whether it was. */
  revive(patienceMs: number): Promise<boolean>
  /** Moves its clock on. */
  advance(ms: number): void
}

/** When a server dies: so long after the n-th point from now, of which there is one before and one behind each write and commit. */
export interface Moment {
  readonly point: number
  readonly afterMs?: number
}

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
const KILLING_STORE = fixture('killing-store.js')
const MOVED_CLOCK = fixture('moved-clock.js')

/** Starts one for the tests of a suite, with a definition in force. */
export function useKillableServer(
  store: StoreUnderTest,
  definition: string,
  sections: Config = {},
  env: NodeJS.ProcessEnv = {},
): () => KillableServer {
  let folder: TestFolder
  let database: TestDatabase
  let config: string
  let server: ServerProcess
  let token: string
  let aheadMs = 0
  const file = (name: string) => join(folder.path, name)
  /** Writes a file at once: the process reads it while it runs, and would take an empty one for zero. */
  const put = (name: string, text: string) => {
    writeFileSync(file(`${name}.new`), text)
    renameSync(file(`${name}.new`), file(name))
  }
  const environment = () => ({
    ...env,
    KILLING_STORE: store.name,
    KILL_AT: file('kill-at'),
    KILL_IN: file('kill-in'),
    CLOCK_AHEAD: file('clock-ahead'),
  })
  const start = () => startServer(config, { env: environment(), node: ['--import', MOVED_CLOCK] })
  const send: KillableServer['send'] = (method, path, body) =>
    server.request(method, path, { token, ...(body !== undefined && { body }) })

  beforeAll(async () => {
    folder = createFolder()
    database = await store.open()
    const all = testConfig({
      ...database.config(),
      jobs: { enabled: false },
      management: { socket: false },
      auth: {
        jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 3_153_600_000 },
      },
      ...sections,
    })
    const plugins = standardPlugins(all).map(({ name }) => name)
    config = folder.write({
      ...all,
      plugins: [...plugins.filter((name) => name !== store.name), KILLING_STORE],
    })
    const password = await makeAdmin(config)
    server = await start()
    token = await signIn(server.request, password)
    const { status, body } = await send('POST', '/api/v1/domains', { content: definition })
    if (status !== 201) throw new Error(JSON.stringify(body))
  }, 60_000)
  afterAll(async () => {
    server?.kill('SIGKILL')
    await server?.exited
    await database?.drop()
    folder.remove()
  })

  return () => ({
    database,
    send,
    now: { server, token },
    arm: ({ point, afterMs = 0 }, of = 'transactions') =>
      put(of === 'definition' ? 'kill-at' : 'kill-in', `${point} ${afterMs}`),
    async revive(patienceMs) {
      await Promise.race([server.exited, delay(patienceMs)])
      for (const name of ['kill-at', 'kill-in']) rmSync(file(name), { force: true })
      // Who answers now lives on.
      const lives = await server.request('GET', '/api/v1/health').then(
        () => true,
        () => false,
      )
      if (lives) return false
      await server.exited
      server = await start()
      return true
    },
    advance(ms) {
      aheadMs += ms
      put('clock-ahead', String(aheadMs))
    },
  })
}
