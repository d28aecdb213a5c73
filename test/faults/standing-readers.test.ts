// Clients that ask for an export and do not read it.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import Database from 'better-sqlite3'
import { HttpServerCapability } from '@svc/rest/contract'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORES, type TestDatabase } from '../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: stock
  version: '1.0.0'
  resources:
    Part:
      features: { export: true }
      object: { text: text }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
`
const PARTS = '/api/v1/stock/parts'
/** Far more than all buffers between the store and a client hold. */
const ROWS = 4000
const TEXT = 'x'.repeat(8000)
const IDLE_MS = 500
const STANDING = 6

for (const store of STORES) {
  describe(`clients of ${store.name} that do not read their export`, () => {
    let database: TestDatabase
    let kernel: TestKernel
    let url: URL

    beforeAll(async () => {
      database = await store.open()
      const open = async () => ({
        ...database,
        config: () => database.config({ long_read_idle_ms: IDLE_MS }),
      })
      kernel = await startTestKernel({ store: { ...store, open }, definition: DEFINITION })
      url = new URL(kernel.kernel.get(HttpServerCapability).url())
      const { request, admin: token } = kernel
      const body = Array.from({ length: 100 }, () => ({ text: TEXT }))
      for (let at = 0; at < ROWS; at += body.length)
        expect((await request('POST', `${PARTS}/bulk`, { token, body })).status).toBe(201)
    })
    afterAll(() => kernel?.stop())

    /** Asks for the export, and reads nothing of it. */
    const stand = (): Socket => {
      const socket = connect(Number(url.port), url.hostname)
      socket.on('error', () => undefined)
      socket.pause()
      socket.write(`GET ${PARTS}/export HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`)
      return socket
    }
    const readOn = async (socket: Socket): Promise<string> => {
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume()
      await once(socket, 'close')
      return Buffer.concat(chunks).toString()
    }
    const held = () => HELD[store.name](database)

    it('make room for those who do, and hold nothing of the store any more', async () => {
      const standing = Array.from({ length: STANDING }, stand)
      await expect.poll(held).toBeGreaterThan(0)
      const answer = await fetch(new URL(`${PARTS}/export`, url))
      expect(answer.status).toBe(200)
      expect((await answer.text()).split('\r\n')).toHaveLength(ROWS + 2)
      await expect.poll(held, { timeout: 10_000 }).toBe(0)
      for (const socket of standing) socket.destroy()
    })

    it('see that it broke off once they read on', async () => {
      const socket = stand()
      await expect.poll(held).toBeGreaterThan(0)
      await expect.poll(held, { timeout: 10_000 }).toBe(0)
      const read = await readOn(socket)
      expect(read).toMatch(/^HTTP\/1\.1 200 /)
      expect(read.length).toBeLessThan(ROWS * TEXT.length)
      expect(read.endsWith('0\r\n\r\n')).toBe(false)
    })

    it('get all of it where they read in time', async () => {
      const socket = stand()
      await expect.poll(held).toBeGreaterThan(0)
      socket.once('data', () =>
        socket.write(`GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      )
      const read = await readOn(socket)
      expect(read).toContain('0\r\n\r\nHTTP/1.1 404')
      expect(read.length).toBeGreaterThan(ROWS * TEXT.length)
    })
  })
}

/** How many snapshots others hold. */
const HELD = {
  /** SQLite's log cannot begin anew while a reader is in it. */
  async sqlite(database: TestDatabase): Promise<number> {
    const { path } = database.config()['sqlite'] as { path: string }
    const connection = new Database(path, { timeout: 0 })
    try {
      connection.exec('create table if not exists touched (at integer); insert into touched values (1)')
      const [seen] = connection.pragma('wal_checkpoint(restart)') as { busy: number }[]
      return seen?.busy ?? 0
    } finally {
      connection.close()
    }
  },
  async postgres(database: TestDatabase): Promise<number> {
    const { conninfo } = database.config()['postgres'] as { conninfo: string }
    const client = new Client(conninfo)
    await client.connect()
    try {
      const { rows } = await client.query<{ count: string }>(
        `select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_xmin is not null`,
      )
      return Number(rows[0]?.count)
    } finally {
      await client.end()
    }
  },
} as const
