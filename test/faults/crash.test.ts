import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAdmin } from '../kit/first-admin.ts'
import {
  createFolder,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES, type TestDatabase } from '../kit/stores.ts'

const WRITERS = 8
/** Every restart is a whole start of the program. */
const PATIENCE_MS = 120_000
/** More points than a change has at which it can be killed. */
const POINTS = 40
/** Every restart is a start of the program: a smoke tries every eighth point. */
const STEP = size('CRASH_STEP', { smoke: 8, whole: 1 })
const KILLING_STORE = fileURLToPath(new URL('../fixtures/killing-store.js', import.meta.url))
const PLUGINS = ['rest', 'ratelimit', 'auth', 'audit', 'system', 'domain', KILLING_STORE]
const ENTRIES = '/api/v1/ledger/entries'
const DOMAIN = '/api/v1/domains/ledger'

/** The definition after so many changes; each brings two fields and an index, and works a formula out anew. */
const definition = (changes: number) => `
domain:
  name: ledger
  version: '1.0.${changes}'
  resources:
    Entry:
      object:
        mark: { type: string, required: true, unique: true }
${Array.from({ length: changes }, (_, at) => `        first${at}: string\n        second${at}: { type: integer, default: 7 }\n`).join('')}
      computed: { told: { type: string, expression: "concat('change ', '${changes}')", stored: true } }
      indexes: [${Array.from({ length: changes }, (_, at) => `{ fields: [second${at}] }`).join(', ')}]
`

for (const store of STORES) {
  describe(`a server on ${store.name} that is killed`, () => {
    let folder: TestFolder
    let database: TestDatabase
    let config: string
    let token: string
    let server: ServerProcess

    beforeAll(async () => {
      folder = createFolder()
      database = await store.open()
      config = folder.write({ ...testConfig(database.config()), plugins: PLUGINS })
      const password = await makeAdmin(config)
      server = await start()
      token = await signIn(server.request, password)
      expect((await submit(0)).status).toBe(201)
    })
    afterAll(async () => {
      server?.kill('SIGKILL')
      await server?.exited
      await database?.drop()
      folder.remove()
    })

    const submit = (changes: number) =>
      server.request('POST', '/api/v1/domains', { token, body: { content: definition(changes) } })

    const killAt = () => join(folder.path, 'kill-at')
    const environment = () => ({ KILLING_STORE: store.name, KILL_AT: killAt() })
    const start = () => startServer(config, { env: environment() })

    async function killAndRestart(): Promise<void> {
      server.kill('SIGKILL')
      await server.exited
      server = await start()
    }

    it('in the middle of many writes has every acknowledged one, once', async () => {
      const acknowledged: string[] = []
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        write(server, token, writer, acknowledged),
      )
      await expect.poll(() => acknowledged.length, { timeout: 10_000 }).toBeGreaterThan(100)
      await killAndRestart()
      const attempted = new Set((await Promise.all(writers)).flat())

      const stored = await marks(server, token)
      expect(new Set(stored).size).toBe(stored.length)
      expect(acknowledged.filter((mark) => !stored.includes(mark))).toEqual([])
      expect(stored.filter((mark) => !attempted.has(mark))).toEqual([])
    })

    it(
      'at any point of a change of its definition has the old one or the new one, whole',
      async () => {
        let [changes, point] = [0, 0]
        for (; point < POINTS; point += STEP) {
          writeFileSync(killAt(), String(point))
          const answer = await submit(changes + 1).catch(() => undefined)
          rmSync(killAt())
          if (answer !== undefined) {
            expect(answer.status).toBe(201)
            changes += 1
            break
          }
          await server.exited
          server = await start()

          const mark = `after ${point}`
          const created = await server.request('POST', ENTRIES, { token, body: { mark } })
          const { body: schema } = await server.request('GET', `${DOMAIN}/schema`)
          const { body: record } = await server.request('GET', DOMAIN)
          const isNew = `first${changes}` in schema.data.resources.Entry.fields
          if (isNew) changes += 1
          expect(created.status).toBe(201)
          expect(created.body.data.told).toBe(`change ${changes}`)
          expect(Object.keys(created.body.data).filter((name) => name.startsWith('second'))).toHaveLength(
            changes,
          )
          expect([record.data.version, record.data.migrations.length]).toEqual([
            `1.0.${changes}`,
            changes + 1,
          ])
          const { body: list } = await server.request('GET', `${ENTRIES}?limit=1000`, { token })
          const told = list.data.items.map((item: { told: string }) => item.told)
          expect([...new Set(told)]).toEqual([`change ${changes}`])
        }
        // Two points around each write, one before the commit and one behind it, at which the change stands.
        expect(point).toBeGreaterThan(12)
        if (STEP === 1) expect(changes).toBe(2)
        expect((await submit(changes + 1)).status).toBe(201)
        expect(await server.stop()).toBe(0)
      },
      PATIENCE_MS,
    )
  })
}

/** Writes until the server is gone; answers every mark that it tried. */
async function write(server: ServerProcess, token: string, writer: number, acknowledged: string[]) {
  const attempted: string[] = []
  for (let count = 0; ; count++) {
    const mark = `${writer}-${count}`
    attempted.push(mark)
    const answer = await server.request('POST', ENTRIES, { token, body: { mark } }).catch(() => undefined)
    if (answer === undefined) return attempted
    expect(answer.status).toBe(201)
    acknowledged.push(mark)
  }
}

async function marks(server: ServerProcess, token: string): Promise<readonly string[]> {
  const found: string[] = []
  for (let page = 1; ; page++) {
    const { body } = await server.request('GET', `${ENTRIES}?fields=mark&limit=1000&page=${page}`, { token })
    found.push(...body.data.items.map(({ mark }: { mark: string }) => mark))
    if (!body.data.meta.has_next) return found
  }
}
