import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import { createRandom } from '../kit/random.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { startSink } from '../kit/sink.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'

// Runs that writes set off, on servers that are killed at random, against another side that fails at random: what the database has
// of orders is told, under one key each, and has its effect once.

const RUNS = size('INTEGRATIONS_RUNS', { smoke: 40, whole: 10_000 })
const SEED = size('INTEGRATIONS_SEED', { smoke: 1, whole: 1 })
/** How many of them are killed at most. */
const KILLS = size('INTEGRATIONS_KILLS', { smoke: 1, whole: 300 })
/** Those that share a database. */
const SERVERS = size('INTEGRATIONS_SERVERS', { smoke: 2, whole: 3 })
const BATCH = 20
/** So long a server lives at most before one of them is killed, in milliseconds. */
const LIFE_MS = size('INTEGRATIONS_LIFE_MS', { smoke: 1500, whole: 4000 })
const PATIENCE_MS = 120_000 + RUNS * 120

const OPERATION = {
  method: 'POST',
  path: '/parcels',
  resource: 'Order',
  body: { number: '{number}' },
  trigger: { resource: 'Order', event: 'create' },
  write: { resource: 'Effect', action: 'create', mapping: { number: '{number}' } },
}

for (const store of STORES) {
  const servers = store.name === 'postgres' ? SERVERS : 1
  describe(`runs of integrations on ${servers} servers over ${store.name} that are killed`, () => {
    it(
      `[5.1] [5.3] of ${RUNS} none is lost, none has its effect twice, and each is sent under one key`,
      async () => {
        const random = createRandom(SEED)
        const sink = await startSink(() => {
          const chance = random.int(20)
          if (chance === 0) return 'die'
          return { status: chance === 1 ? 503 : 200 }
        })
        const folder = createFolder()
        const database = await store.open()
        const config = folder.write(
          testConfig({
            ...database.config(),
            auth: {
              jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 86_400 },
            },
            jobs: { poll_seconds: 0.2, lease_seconds: 1 },
            outbound: { allow_private: ['127.0.0.1'] },
            management: { socket: false },
          }),
        )
        const password = await makeAdmin(config)
        const running: ServerProcess[] = []
        onTestFinished(async () => {
          for (const server of running) server.kill('SIGKILL')
          await Promise.all(running.map(({ exited }) => exited))
          await sink.stop()
          await database.drop()
          folder.remove()
        })
        for (let at = 0; at < servers; at += 1) running.push(await startServer(config))
        const token = await signIn(running[0]!.request, password)
        const content = JSON.stringify({
          domain: {
            name: 'shop',
            version: '1.0.0',
            resources: { Order: { object: { number: 'string' } }, Effect: { object: { number: 'string' } } },
            integrations: {
              courier: {
                type: 'rest',
                baseUrl: sink.url,
                retry: { maxAttempts: 20, backoff: 'fixed', baseDelay: '100ms' },
                operations: { tell: OPERATION },
              },
            },
          },
        })
        const { status, body } = await running[0]!.request('POST', '/api/v1/domains', {
          token,
          body: { content },
        })
        expect(status, JSON.stringify(body)).toBe(201)

        // Somebody kills one after the other, as long as something is to be told.
        let isOver = false
        let kills = 0
        const killing = (async () => {
          // On a busy machine, too, a server does something before it dies: it lives for as long as its start took, at least.
          for (let startedMs = 0; !isOver && kills < KILLS; kills += 1) {
            await delay(startedMs + 200 + random.int(LIFE_MS))
            const at = random.int(running.length)
            running[at]!.kill('SIGKILL')
            await running[at]!.exited
            const begun = performance.now()
            running[at] = await startServer(config)
            startedMs = performance.now() - begun
          }
        })()
        const anyone = () => running[random.int(running.length)]!
        /** Asks until somebody answers: reading may be done again. */
        const look = async (path: string) => {
          for (;;)
            try {
              const answer = await anyone().request('GET', `/api/v1/shop/${path}`, { token })
              if (answer.status === 200) return answer.body.data
            } catch {
              await delay(50)
            }
        }
        for (let [at, taken] = [0, 0]; taken < RUNS; at += BATCH) {
          const items = Array.from({ length: BATCH }, (_, one) => ({ number: `n${at + one}` }))
          // Who gets no answer does not know, and the database does.
          const answer = await anyone()
            .request('POST', '/api/v1/shop/orders/bulk', { token, body: { items } })
            .catch(() => undefined)
          if (answer?.status === 201) taken += BATCH
          else await delay(50)
        }
        const numbersOf = async (path: string): Promise<readonly string[]> => {
          const all: string[] = []
          for (let page = 1; ; page += 1) {
            const { items } = await look(`${path}?sort=id&limit=1000&page=${page}`)
            all.push(...items.map(({ number }: { number: string }) => number))
            if (items.length < 1000) return all
          }
        }
        await vi.waitFor(
          async () => {
            const [orders, effects] = [await look('orders/count'), await look('effects/count')]
            expect(effects.total).toBe(orders.total)
          },
          { timeout: PATIENCE_MS - 30_000, interval: 500 },
        )
        isOver = true
        await killing
        const orders = await numbersOf('orders')
        expect(new Set(orders).size).toBe(orders.length)
        expect(orders.length).toBeGreaterThanOrEqual(RUNS)
        expect((await numbersOf('effects')).toSorted()).toEqual(orders.toSorted())
        const keys = new Map<string, Set<string>>()
        for (const { headers, body: sent } of sink.received) {
          const { number } = JSON.parse(sent)
          keys.set(number, (keys.get(number) ?? new Set()).add(String(headers['idempotency-key'])))
        }
        expect(orders.filter((number) => keys.get(number)?.size !== 1)).toEqual([])
        expect([...keys.keys()].filter((number) => !orders.includes(number))).toEqual([])
        expect(kills).toBeGreaterThan(0)
        process.stderr.write(
          `${orders.length} runs, ${kills} kills, ${sink.received.length} requests: none lost, none twice\n`,
        )
      },
      PATIENCE_MS,
    )
  })
}
