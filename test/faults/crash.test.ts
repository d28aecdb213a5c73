import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAdmin,
  createFolder,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../kit/server-process.ts'
import { STORES, type TestDatabase } from '../kit/stores.ts'

const WRITERS = 8
/** Every restart is a whole start of the program. */
const PATIENCE_MS = 120_000
/** When the kill comes, in milliseconds after the submit was sent: before, within and after the change. */
const DELAYS = [0, 2, 5, 9, 14, 20, 40]
const ENTRIES = '/api/v1/ledger/entries'
const DOMAIN = '/api/v1/domains/ledger'

/** The definition after so many changes; each change brings two fields. */
const definition = (changes: number) => `
domain:
  name: ledger
  version: '1.0.${changes}'
  resources:
    Entry:
      object:
        mark: { type: string, required: true, unique: true }
${Array.from({ length: changes }, (_, at) => `        first${at}: string\n        second${at}: { type: integer, default: 7 }\n`).join('')}`

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
      config = folder.write(testConfig(database.config()))
      const password = await createAdmin(config)
      server = await startServer(config)
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

    async function killAndRestart(): Promise<void> {
      server.kill('SIGKILL')
      await server.exited
      server = await startServer(config)
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
      'during a change of its definition has the old one or the new one, whole',
      async () => {
        let migrations = 1
        for (const [at, delay] of DELAYS.entries()) {
          const submitted = submit(at + 1).catch(() => undefined)
          await setTimeout(delay)
          await killAndRestart()
          const wasAcknowledged = (await submitted)?.status === 201

          const created = await server.request('POST', ENTRIES, { token, body: { mark: `after ${at}` } })
          const { body: schema } = await server.request('GET', `${DOMAIN}/schema`)
          const { body: record } = await server.request('GET', DOMAIN)
          const isNew = `first${at}` in schema.data.resources.Entry.fields
          if (isNew) migrations += 1
          expect(created.status).toBe(201)
          expect([
            `second${at}` in schema.data.resources.Entry.fields,
            `second${at}` in created.body.data,
          ]).toEqual([isNew, isNew])
          expect(isNew || !wasAcknowledged).toBe(true)
          expect([record.data.version === `1.0.${at + 1}`, record.data.migrations.length]).toEqual([
            isNew,
            migrations,
          ])
        }
        expect((await submit(DELAYS.length)).status).toBe(201)
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
