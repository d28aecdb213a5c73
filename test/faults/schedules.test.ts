import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'

const DUE = size('SCHEDULES_STOPPED', { smoke: 200, whole: 5000 })
const LEASE_S = 1
const PATIENCE_MS = 120_000

const DEFINITION = JSON.stringify({
  domain: {
    name: 'plant',
    version: '1',
    resources: {
      Part: {
        object: { mark: 'string', dueAt: 'datetime', count: { type: 'integer', default: 0 } },
        permissions: { list: ['*'], create: ['*'] },
      },
    },
    schedules: {
      due: {
        source: { resource: 'Part' },
        relativeTo: 'dueAt',
        enabled: false,
        action: 'update',
        input: { count: '$(count + 1)' },
      },
    },
  },
})

// One process works on a file of SQLite; several share a database of PostgreSQL.
for (const store of STORES.filter(({ name }) => name === 'postgres'))
  describe(`schedules on two servers over one ${store.name}, of which one stands still`, () => {
    it(
      '[S7, J4] one winner: what stood still amid its firings and goes on after its lease changes nothing',
      async () => {
        const folder = createFolder()
        const database = await store.open()
        const config = folder.write({
          // What stands still inside a transaction keeps others from its rows as long as the database lets it.
          ...testConfig(database.config({ idle_in_transaction_timeout_ms: 2000 })),
          jobs: { poll_seconds: 0.2, lease_seconds: LEASE_S },
          schedules: { heartbeat_seconds: 0.5 },
          management: { socket: false },
        })
        const password = await makeAdmin(config)
        const running: ServerProcess[] = []
        onTestFinished(async () => {
          for (const server of running) server.kill('SIGKILL')
          await Promise.all(running.map(({ exited }) => exited))
          await database.drop()
          folder.remove()
        })
        const first = await startServer(config)
        running.push(first)
        const token = await signIn(first.request, password)
        const ask = async ({ request }: ServerProcess, method: string, path: string, body?: object) => {
          const answer = await request(method, `/api/v1/${path}`, { token, ...(body && { body }) })
          expect([path, answer.body]).toMatchObject([path, { status: 'ok' }])
          return answer.body.data
        }
        await ask(first, 'POST', 'domains', { content: DEFINITION })
        for (let made = 0; made < DUE; made += 100) {
          const dueAt = new Date(Date.now() + 500).toISOString()
          const items = Array.from({ length: 100 }, (_, at) => ({ mark: `part${made + at}`, dueAt }))
          await ask(first, 'POST', 'plant/parts/bulk', { items })
        }
        await delay(600)
        const done = async (server: ServerProcess) =>
          (await ask(server, 'GET', 'plant/parts/count?filter[count][gte]=1')).total as number
        await ask(first, 'PATCH', 'plant/schedules/due', { enabled: true })
        await expect.poll(() => done(first), { timeout: 30_000, interval: 5 }).toBeGreaterThan(0)
        first.kill('SIGSTOP')

        const second = await startServer(config)
        running.push(second)
        expect(await done(second)).toBeLessThan(DUE)
        await expect.poll(() => done(second), { timeout: 90_000, interval: 200 }).toBe(DUE)
        first.kill('SIGCONT')
        // It held work when it stood still, and hears that this is not its own any more.
        await first.logged('jobs.lease_lost')
        await ask(first, 'GET', 'plant/schedules/due')

        expect(await ask(second, 'GET', 'plant/parts/count?filter[count]=1')).toEqual({ total: DUE })
        const firings = await ask(second, 'GET', 'plant/schedules/firings?status=fired&limit=1')
        expect(firings.meta.total).toBe(DUE)
        expect((await ask(second, 'GET', 'plant/schedules/firings?limit=1')).meta.total).toBe(DUE)
      },
      PATIENCE_MS,
    )
  })
