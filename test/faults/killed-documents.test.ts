import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import { createRandom } from '../kit/random.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'

const KILLS = size('DOCUMENTS_KILLS', { smoke: 1, whole: 40 })
const SEED = size('DOCUMENTS_SEED', { smoke: 1, whole: 1 })
/** So many records a server takes at most before it is killed, and so long it lives after the last of them. */
const LIFE = 12
const AFTERLIFE_MS = 800
const HOUR_MS = 3_600_000
/** Every restart is a whole start of the program. */
const PATIENCE_MS = 60_000 + KILLS * 15_000

const DEFINITION = `
domain:
  name: shop
  version: '1'
  resources:
    Order: { object: { number: { type: string, required: true }, papers: { type: media, maxItems: 9 } } }
  templates:
    slip:
      format: pdf
      trigger: { resource: Order, event: create }
      data: { order: record }
      attachTo: papers
      body: 'Slip {number}'
  documentStorage: { path: papers }
`

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

for (const store of STORES)
  describe(`documents on ${store.name}, on a server that is killed`, () => {
    it(
      '[C1.12] [C6.2] [C6.16] are made once for each record, whole and attached, with no bytes besides once they are swept',
      async () => {
        const random = createRandom(SEED)
        const folder = createFolder()
        const database = await store.open()
        const root = join(folder.path, 'files')
        const config = folder.write(
          testConfig({
            ...database.config(),
            files: { root },
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
        const submitted = await server.request('POST', '/api/v1/domains', {
          token,
          body: { content: DEFINITION },
        })
        expect(submitted.body).toMatchObject({ status: 'ok' })

        let made = 0
        for (let round = 0; round < KILLS; round += 1) {
          for (let left = 1 + random.int(LIFE); left > 0; left -= 1) {
            const body = { number: `A${(made += 1)}` }
            const { status } = await server.request('POST', '/api/v1/shop/orders', { token, body })
            expect(status).toBe(201)
          }
          await delay(random.int(AFTERLIFE_MS))
          server.kill('SIGKILL')
          await server.exited
          server = await startServer(config)
        }

        const { request } = server
        const all = async (path: string): Promise<readonly any[]> => {
          const { body } = await request('GET', `${path}?limit=500`, { token })
          return body.data.items
        }
        await expect
          .poll(async () => (await all('/api/v1/shop/documents')).length, { timeout: 60_000, interval: 500 })
          .toBe(made)
        await expect
          .poll(async () => (await all('/api/v1/shop/orders')).map(({ papers }) => papers?.length), {
            timeout: 30_000,
            interval: 500,
          })
          .toEqual(Array.from({ length: made }, () => 1))

        const documents = await all('/api/v1/shop/documents')
        const orders = await all('/api/v1/shop/orders')
        expect(documents.map(({ recordId }) => recordId).toSorted()).toEqual(
          orders.map(({ id }) => id).toSorted(),
        )
        const paths = documents.map(({ storagePath }) => String(storagePath)).toSorted()
        for (const { storagePath, metadata } of documents)
          expect(hashOf(readFileSync(join(root, storagePath)))).toBe(metadata.checksum)

        server.kill('SIGKILL')
        await server.exited
        for (const file of below(root))
          utimesSync(join(root, file), new Date(), new Date(Date.now() - 2 * HOUR_MS))
        server = await startServer(config)
        await expect
          .poll(
            () =>
              below(root)
                .filter((file) => file.startsWith('papers/'))
                .toSorted(),
            {
              timeout: 20_000,
            },
          )
          .toEqual(paths)
      },
      PATIENCE_MS,
    )
  })

/** The names of all files of bytes below a folder. */
const below = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
