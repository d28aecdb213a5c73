import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
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
import { STORES, type TestDatabase } from '../kit/stores.ts'

const DEFINITION = `
domain:
  name: papers
  version: '1.0.0'
  resources: { Paper: { object: { text: text } } }
`
const PAPERS = '/api/v1/papers/papers'
const RECORDS = 1000
const LIST = `${PAPERS}?limit=${RECORDS}`
const RECORD = 'x'.repeat(2000)
const ASKED = 300
const READERS = 30
const MEGABYTE = 1_000_000

for (const store of STORES) {
  describe(`a client of a server on ${store.name} that asks for much and reads nothing`, () => {
    let folder: TestFolder
    let database: TestDatabase
    let server: ServerProcess
    let token: string
    const sockets: Socket[] = []

    beforeAll(async () => {
      folder = createFolder()
      database = await store.open()
      const config = folder.write(
        testConfig({
          ...database.config(),
          rest: { port: 0, body_limit_bytes: 10_000_000 },
        }),
      )
      const password = await makeAdmin(config)
      server = await startServer(config)
      token = await signIn(server.request, password)
      await server.request('POST', '/api/v1/domains', { token, body: { content: DEFINITION } })
      const data = Array.from({ length: RECORDS }, () => ({ text: RECORD }))
      const { status } = await server.request('POST', `${PAPERS}/bulk`, { token, body: { items: data } })
      expect(status).toBeLessThan(300)
      const { body } = await server.request('GET', LIST, { token })
      expect(body.data.items).toHaveLength(RECORDS)
      // What lists cost that are read does not count.
      const readers = await Promise.all(Array.from({ length: READERS }, () => ask(1)))
      await Promise.all(readers.map((reader) => read(reader, RECORDS * RECORD.length)))
    })
    afterAll(async () => {
      for (const socket of sockets) socket.destroy()
      await server?.stop()
      await database?.drop()
      folder.remove()
    })

    /** Sends `count` requests for the whole list over one connection, and reads no answer. */
    async function ask(count: number): Promise<Socket> {
      const { hostname, port } = new URL(server.url)
      const socket = connect(Number(port), hostname)
        .on('error', () => undefined)
        .pause()
      sockets.push(socket)
      await once(socket, 'connect')
      const request = `GET ${LIST} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
      socket.write(request.repeat(count))
      return socket
    }

    /** How far the server's memory grows until it has been at rest for a second, in bytes; others are served meanwhile. */
    async function growth(work: () => Promise<unknown>): Promise<number> {
      const before = residentBytes(server.pid)
      let most = before
      await work()
      for (let quiet = 0; quiet < 10; quiet += 1) {
        await setTimeout(100)
        await server.request('GET', '/health').catch(() => undefined)
        const now = residentBytes(server.pid)
        if (now > most + MEGABYTE) quiet = 0
        most = Math.max(most, now)
      }
      return most - before
    }

    it('has one answer made for it at a time', async () => {
      const grown = await growth(() => ask(ASKED))
      const asked = ASKED * RECORDS * RECORD.length
      const figures = `${ASKED} lists asked ahead (${asked / MEGABYTE} MB): ${mega(grown)} more memory`
      process.stdout.write(`${store.name}: ${figures}\n`)
      expect(grown).toBeLessThan(asked / 4)
      expect((await server.request('GET', `${PAPERS}?limit=1`, { token })).status).toBe(200)
    })
  })
}

/** Reads so many bytes, and ends the connection. */
async function read(socket: Socket, bytes: number): Promise<void> {
  let left = bytes
  for await (const chunk of socket.resume()) if ((left -= chunk.length) <= 0) break
}

const mega = (bytes: number): string => `${Math.round(bytes / MEGABYTE)} MB`

function residentBytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}
