import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestAnswer } from '../../kit/request.ts'
import {
  createAdmin,
  createFolder,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../../kit/server-process.ts'
import { STORES, type TestDatabase } from '../../kit/stores.ts'

const SHOP = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      features: { versioning: true }
      object: { number: { type: string, required: true, unique: true }, status: string }
      stateMachine:
        field: status
        initial: open
        states: { open: { transitions: { pay: { to: paid } } }, paid: { final: true } }
      permissions:
        { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`
const ORDERS = '/api/v1/shop/orders'
const PASSWORD = 'Correct-horse-7'
/** An embedded store belongs to one process; a database server is shared by several. */
const PROCESSES = { sqlite: 1, postgres: 2 }

for (const store of STORES) {
  const count = PROCESSES[store.name]
  describe(`requests that race for one thing, with ${count} processes on ${store.name}`, () => {
    let folder: TestFolder
    let database: TestDatabase
    const servers: ServerProcess[] = []

    beforeAll(async () => {
      folder = createFolder()
      database = await store.open()
      const config = folder.write(testConfig({ ...database.config(), environment: 'development' }))
      const password = await createAdmin(config)
      const first = await startServer(config)
      servers.push(first)
      const token = await signIn(first.request, password)
      await first.request('POST', '/api/v1/domains', { token, body: { content: SHOP } })
      while (servers.length < count) servers.push(await startServer(config))
    })
    afterAll(async () => {
      for (const server of servers) server.kill('SIGKILL')
      await Promise.all(servers.map(({ exited }) => exited))
      await database.drop()
      folder.remove()
    })

    /** Sends all bodies at once, to the processes in turn. */
    const race = (path: string, bodies: readonly unknown[]): Promise<readonly TestAnswer[]> =>
      Promise.all(bodies.map((body, at) => servers[at % count]!.request('POST', path, { body })))
    const auth = async (action: string, body: unknown) =>
      (await servers[0]!.request('POST', `/api/v1/auth/${action}`, { body })).body.data
    const register = (username: string) =>
      auth('register', { username, email: `${username}@example.org`, password: PASSWORD })

    it('take one refresh token once', async () => {
      const { refresh_token } = await register('refresher')
      const answers = await race('/api/v1/auth/refresh', Array(20).fill({ refresh_token }))
      expect(tally(answers)).toEqual({ '200': 1, '401 TOKEN_INVALID': 19 })
    })

    it('take one reset token once', async () => {
      await register('forgetful')
      const { reset_token: token } = await auth('forgot-password', { email: 'forgetful@example.org' })
      const chosen = Array.from({ length: 20 }, (_, at) => `Correct-horse-${at + 10}`)
      const bodies = chosen.map((new_password) => ({ token, new_password }))
      const answers = await race('/api/v1/auth/reset-password', bodies)
      expect(tally(answers)).toEqual({ '200': 1, '401 TOKEN_INVALID': 19 })
      const password = chosen[answers.findIndex(({ status }) => status === 200)]!
      expect(await auth('login', { username: 'forgetful', password })).toHaveProperty('access_token')
    })

    it('take one transition of a record once', async () => {
      const { body } = await servers[0]!.request('POST', ORDERS, { body: { number: 'raced' } })
      const answers = await race(`${ORDERS}/${body.data.id}/transitions/pay`, Array(50).fill({}))
      expect(tally(answers)).toEqual({ '200': 1, '422 TRANSITION_DENIED': 49 })
      const versions = await servers.at(-1)!.request('GET', `${ORDERS}/${body.data.id}/versions`)
      expect(versions.body.data.items).toHaveLength(1)
    })

    it('make one record of a unique name', async () => {
      const answers = await race(ORDERS, Array(200).fill({ number: 'only one' }))
      expect(tally(answers)).toEqual({ '201': 1, '409 DUPLICATE': 199 })
      const found = await servers.at(-1)!.request('GET', `${ORDERS}?filter[number]=only one`)
      expect(found.body.data.totalCount).toBe(1)
    })
  })
}

/** How often each status came, with the code of an error. */
function tally(answers: readonly TestAnswer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const outcome = status < 300 ? `${status}` : `${status} ${body.error_code}`
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}
