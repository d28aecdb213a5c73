import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import { createRandom } from '../kit/random.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'

const KILLS = size('SHEETS_KILLS', { smoke: 1, whole: 20 })
const SEED = size('SHEETS_SEED', { smoke: 1, whole: 1 })
/** More than one write works out at once. */
const JOBS = 1_600
const PORTION = 400
/** So long a server lives at most after a write was answered. */
const AFTERLIFE_MS = 900
/** Every restart is a whole start of the program. */
const PATIENCE_MS = 90_000 + KILLS * 20_000

const DEFINITION = `
domain:
  name: stand
  version: '1'
  resources:
    Rate:
      object: { code: { type: string, primaryKey: true }, price: decimal }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
    Job:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { code: string, hours: decimal }
      computed:
        total: { type: decimal, expression: "hours * lookup('Rate', code, 'price')" }
        taxed: { type: decimal, expression: total * 2 }
      features: { audit: true }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`

for (const store of STORES)
  describe(`sheets on ${store.name}, on a server that is killed`, () => {
    it(
      '[11.7] what is left for later is done after kill -9 at any moment, each change once',
      async () => {
        const random = createRandom(SEED)
        const folder = createFolder()
        const database = await store.open()
        const config = folder.write(
          testConfig({
            ...database.config(),
            jobs: { poll_seconds: 0.2, lease_seconds: 1 },
            management: { socket: false },
          }),
        )
        const password = await makeAdmin(config)
        let server: ServerProcess | undefined
        onTestFinished(async () => {
          server?.kill('SIGKILL')
          await server?.exited
          await database.drop()
          folder.remove()
        })
        server = await startServer(config)
        const token = await signIn(server.request, password)
        const send = (method: string, path: string, body?: unknown) =>
          server!.request(method, `/api/v1/${path}`, { token, ...(body !== undefined && { body }) })
        expect((await send('POST', 'domains', { content: DEFINITION })).status).toBe(201)
        await send('POST', 'stand/rates', { code: 'basic', price: 1 })
        for (let done = 0; done < JOBS; done += PORTION) {
          const items = Array.from({ length: PORTION }, () => ({ code: 'basic', hours: 1 }))
          expect((await send('POST', 'stand/jobs/bulk', { items })).status).toBeLessThan(300)
        }
        let price = 1
        for (let kill = 0; kill < KILLS; kill += 1) {
          const wanted = 2 + kill
          const [answer] = await Promise.all([
            send('PATCH', 'stand/rates/basic', { price: wanted }).catch(() => undefined),
            random.chance(0.4)
              ? delay(random.int(AFTERLIFE_MS)).then(() => server!.kill('SIGKILL'))
              : undefined,
          ])
          await delay(random.int(AFTERLIFE_MS))
          server.kill('SIGKILL')
          await server.exited
          server = await startServer(config)
          price = (await send('GET', 'stand/rates/basic')).body.data.price
          // What was answered for is there.
          if (answer?.status === 200) expect(price).toBe(wanted)
        }
        const withValues = async (total: number) =>
          (
            await send(
              'GET',
              `stand/jobs?filter[total]=${total}&filter[taxed]=${total * 2}&limit=1&count=true`,
            )
          ).body.data.totalCount
        await expect.poll(() => withValues(price), { timeout: 60_000, interval: 500 }).toBe(JOBS)
        const [job] = (await send('GET', 'stand/jobs?limit=1')).body.data.items
        const { items } = (await send('GET', `stand/jobs/${job.id}/audit?limit=100`)).body.data
        const moves = items.filter(
          ({ changes }: any) => changes?.total?.from !== undefined && changes.total.from !== null,
        )
        const values = moves.map(({ changes }: any) => changes.total.to)
        expect(new Set(values).size).toBe(values.length)
        expect(values[0]).toBe(price)
      },
      PATIENCE_MS,
    )
  })
