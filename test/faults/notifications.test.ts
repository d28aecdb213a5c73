import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import { createRandom } from '../kit/random.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { startSink } from '../kit/sink.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'

const MESSAGES = size('NOTIFICATIONS_MESSAGES', { smoke: 100, whole: 10_000 })
const KILLS = size('NOTIFICATIONS_KILLS', { smoke: 1, whole: 60 })
const WAITING = size('NOTIFICATIONS_WAITING', { smoke: 400, whole: 100_000 })
const SEED = size('NOTIFICATIONS_SEED', { smoke: 1, whole: 1 })
/** Those that share a database. */
const SERVERS = size('NOTIFICATIONS_SERVERS', { smoke: 2, whole: 3 })
/** Orders of one request. */
const BULK = 100
const LEASE_S = 1
const PATIENCE_MS = 120_000 + KILLS * 20_000 + WAITING * 20

const definition = (url: string) => `
domain:
  name: shop
  version: '1'
  resources:
    Order: { object: { title: string }, permissions: { create: ['*'], list: ['*'] } }
  rules:
    told:
      trigger: { resource: Order, on: create }
      condition: title != null
      action: log
      message: told
      notification:
        channels: [{ type: webhook, url: '${url}' }]
        template: { body: '{title}' }
`

for (const store of STORES) {
  // One process works on a file of SQLite; several share a database of PostgreSQL.
  const count = store.name === 'sqlite' ? 1 : SERVERS

  const prepared = async (url: string, notifications: object) => {
    const folder = createFolder()
    const database = await store.open()
    const config = folder.write({
      ...testConfig(database.config()),
      jobs: { poll_seconds: 0.2, lease_seconds: LEASE_S },
      outbound: { allow_private: ['127.0.0.1'] },
      domain: { domain_file: folder.write(definition(url), 'domain.yaml') },
      notifications,
    })
    const password = await makeAdmin(config)
    return {
      config,
      password,
      async drop() {
        await database.drop()
        folder.remove()
      },
    }
  }

  describe(`messages on ${store.name}, on ${count} server(s)`, () => {
    it(
      '[J1, J3, N4, N5] whose server is killed at any time leave at least once, and twice only under one id',
      async () => {
        const random = createRandom(SEED)
        const sink = await startSink(() =>
          random.int(10) === 0 ? 'die' : { status: random.int(8) === 0 ? 503 : 204 },
        )
        const { config, password, drop } = await prepared(sink.url, { retry_seconds: Array(50).fill(0.2) })
        const first = await startServer(config)
        const running = [
          first,
          ...(await Promise.all(Array.from({ length: count - 1 }, () => startServer(config)))),
        ]
        onTestFinished(async () => {
          for (const server of running) server.kill('SIGKILL')
          await Promise.all(running.map(({ exited }) => exited))
          await sink.stop()
          await drop()
        })

        const acknowledged: string[] = []
        let next = 0
        const put = async () => {
          while (next < MESSAGES) {
            const title = `order ${(next += 1)}`
            const server: ServerProcess = running[random.int(running.length)]!
            const answer = await server
              .request('POST', '/api/v1/shop/orders', { body: { title } })
              .catch(() => undefined)
            if (answer?.status === 201) acknowledged.push(title)
            else await new Promise((resolve) => setTimeout(resolve, 50))
          }
        }
        const putting = [put(), put(), put()]
        for (let kill = 0; kill < KILLS; kill += 1) {
          await new Promise((resolve) => setTimeout(resolve, 200 + random.int(1500)))
          const at = random.int(running.length)
          running[at]!.kill('SIGKILL')
          await running[at]!.exited
          running[at] = await startServer(config)
        }
        await Promise.all(putting)

        const [server] = running
        const token = await signIn(server!.request, password)
        const waiting = async () => {
          const { body } = await server!.request('GET', '/api/v1/shop/notifications?status=pending&limit=1', {
            token,
          })
          return body.data.count
        }
        await expect.poll(waiting, { timeout: 60_000, interval: 500 }).toBe(0)
        const told = sink.received.map(({ body }) => JSON.parse(body) as { id: string; body: string })
        const ids = new Map(told.map(({ id, body }) => [body, id]))
        expect(acknowledged.filter((title) => !ids.has(title))).toEqual([])
        expect(told.filter(({ id, body }) => ids.get(body) !== id)).toEqual([])
      },
      PATIENCE_MS,
    )

    it(
      '[N4] that wait in any number take no memory',
      async () => {
        const sink = await startSink(() => ({ status: 503 }))
        const { config, drop } = await prepared(sink.url, { retry_seconds: [1, 1, 1, 3600] })
        const server = await startServer(config)
        onTestFinished(async () => {
          await server.stop()
          await sink.stop()
          await drop()
        })
        const put = async (from: number) => {
          const items = Array.from({ length: BULK }, (_, at) => ({ title: `order ${from + at}` }))
          const { status } = await server.request('POST', '/api/v1/shop/orders/bulk', { body: { items } })
          expect(status).toBeLessThan(300)
        }
        const half = WAITING / 2
        for (let at = 0; at < half; at += BULK) await put(at)
        const before = residentMegabytes(server.pid)
        for (let at = half; at < WAITING; at += BULK) await put(at)
        const after = residentMegabytes(server.pid)
        // What V8 lets grow before it collects is more than all that is done here keeps.
        expect(after - before).toBeLessThan(150)
      },
      PATIENCE_MS,
    )
  })
}

/** What a process holds in memory. */
function residentMegabytes(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
  return (pages * 4096) / 1e6
}
