import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import { createRandom, type Random } from '../kit/random.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'

const PARTS = size('AUTOMATION_PARTS', { smoke: 60, whole: 5000 })
const KILLS = size('AUTOMATION_KILLS', { smoke: 1, whole: 40 })
const SEED = size('AUTOMATION_SEED', { smoke: 1, whole: 1 })
const LEASE_S = 1
const BATCH = 20
const STEPS = ['cut', 'drill', 'paint']
/** Every restart is a whole start of the program. */
const PATIENCE_MS = 120_000 + KILLS * 20_000

/** Each part goes through three steps and a wait, falls due once, and is told of by a webhook. */
const definition = (sink: string) => `
domain:
  name: plant
  version: '1'
  resources:
    Part:
      object:
        mark: { type: string, required: true, unique: true }
        dueOn: datetime
        checked: { type: boolean, default: false }
    Step:
      object: { mark: string, name: string }
    Due:
      object: { mark: string }
  workflows:
    make:
      trigger: { resource: Part, event: create }
      steps:
${STEPS.map((name) => `        ${name}: { action: create, target: Step, input: { mark: $record.mark, name: ${name} } }`).join('\n')}
        check: { action: update, input: { checked: true } }
        checked:
          wait: { resource: Due, event: create, filter: 'mark == $trigger.record.mark', timeout: { duration: 30m, then: end } }
        packed: { action: create, target: Step, input: { mark: $record.mark, name: packed } }
        told:
          action: notify
          notification:
            channels: [{ type: webhook, url: '${sink}' }]
            template: { body: 'made {mark}' }
  schedules:
    due:
      type: relative
      source: { resource: Part }
      relativeTo: dueOn
      action: create
      target: Due
      input: { mark: $record.mark }
`

/** What a receiver of webhooks has got: the ids by which each body came. */
interface Sink {
  readonly url: string
  readonly got: Map<string, Set<string>>
  close(): void
}

/** A receiver that now and then hangs up before or after it has read what it was sent. */
async function startSink(random: Random): Promise<Sink> {
  const got = new Map<string, Set<string>>()
  const take = async (request: IncomingMessage) => {
    const { body } = (await json(request)) as { readonly body: string }
    const ids = got.get(body) ?? new Set()
    got.set(body, ids.add(String(request.headers['webhook-id'])))
  }
  const server: Server = createServer((request, response) => {
    const luck = random.int(10)
    if (luck === 0) return void request.socket.destroy()
    void take(request).then(
      () => (luck === 1 ? request.socket.destroy() : response.writeHead(luck === 2 ? 503 : 204).end()),
      () => undefined,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/plant`, got, close }
}

for (const store of STORES) {
  // One process works on a file of SQLite; several share a database of PostgreSQL.
  const servers = store.name === 'sqlite' ? 1 : 3

  describe(`workflows, schedules and messages on ${store.name}, on ${servers} server(s) that are killed`, () => {
    it(
      '[J1, J2, J3, J5] lose nothing and do nothing twice inside, and tell everything outside under one id',
      async () => {
        const random = createRandom(SEED)
        const folder = createFolder()
        const sink = await startSink(random)
        const database = await store.open()
        const config = folder.write({
          ...testConfig(database.config()),
          jobs: { poll_seconds: 0.2, lease_seconds: LEASE_S },
          schedules: { heartbeat_seconds: 0.5 },
          notifications: { retry_seconds: Array.from({ length: 20 }, () => 1), timeout_ms: 2000 },
          outbound: { allow_private: ['127.0.0.1'] },
          management: { socket: false },
        })
        const password = await makeAdmin(config)
        const running: ServerProcess[] = [await startServer(config)]
        onTestFinished(async () => {
          for (const server of running) server.kill('SIGKILL')
          await Promise.all(running.map(({ exited }) => exited))
          sink.close()
          await database.drop()
          folder.remove()
        })
        const token = await signIn(running[0]!.request, password)
        const submitted = await running[0]!.request('POST', '/api/v1/domains', {
          token,
          body: { content: definition(sink.url) },
        })
        expect(submitted.body).toMatchObject({ status: 'ok' })
        for (let more = 1; more < servers; more += 1) running.push(await startServer(config))

        /** Sends to any server until one answers. */
        const ask = async (method: string, path: string, body?: unknown) => {
          for (;;) {
            const server = random.pick(running)
            const answer = await server
              .request(method, path, { token, ...(body !== undefined && { body }) })
              .catch(() => undefined)
            if (answer !== undefined && answer.status < 500) return answer
            await delay(50)
          }
        }
        let isOver = false
        const make = async () => {
          for (let at = 0; at < PARTS; at += BATCH) {
            const dueOn = new Date(Date.now() + random.int(3000)).toISOString()
            const records = Array.from({ length: Math.min(BATCH, PARTS - at) }, (_, one) => ({
              mark: `part${at + one}`,
              dueOn,
            }))
            await ask('POST', '/api/v1/plant/parts/bulk', records)
          }
          isOver = true
        }
        const making = make()
        for (let kill = 0; kill < KILLS || !isOver; kill += 1) {
          await delay(300 + random.int(1500))
          if (kill >= KILLS) continue
          const at = random.int(running.length)
          running[at]!.kill('SIGKILL')
          await running[at]!.exited
          running[at] = await startServer(config)
        }
        await making

        const marks = Array.from({ length: PARTS }, (_, at) => `part${at}`)
        const statuses = async () => {
          const { body } = await ask('GET', '/api/v1/plant/workflows/make')
          return body.data.counts
        }
        await expect
          .poll(statuses, { timeout: 60_000 + PARTS * 40, interval: 1000 })
          .toMatchObject({ completed: PARTS })
        await expect
          .poll(() => marks.filter((mark) => !sink.got.has(`made ${mark}`)), {
            timeout: 60_000,
            interval: 500,
          })
          .toEqual([])

        const all = async (path: string) => {
          const found: Record<string, unknown>[] = []
          for (let page = 1; ; page += 1) {
            const { body } = await ask('GET', `${path}?limit=1000&page=${page}`)
            found.push(...body.data.items)
            if (!body.data.meta.has_next) return found
          }
        }
        const steps = (await all('/api/v1/plant/steps')).map(({ mark, name }) => `${mark} ${name}`)
        const wanted = marks.flatMap((mark) => [...STEPS, 'packed'].map((name) => `${mark} ${name}`))
        expect(steps.toSorted()).toEqual(wanted.toSorted())
        const due = (await all('/api/v1/plant/dues')).map(({ mark }) => String(mark))
        expect(due.toSorted()).toEqual(marks.toSorted())
        for (const ids of sink.got.values()) expect([...ids]).toHaveLength(1)
      },
      PATIENCE_MS,
    )
  })
}
