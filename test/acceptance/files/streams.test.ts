import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { HttpServerCapability } from '@svc/rest/contract'
import { describe, expect, it } from 'vitest'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { type Desk, FILES, RAW, rawForm, useDesk } from './desk.ts'
import { PLACES } from './places.ts'

// Uploads as they come over the wire: byte by byte, without a length, and without an end.

const SILENCE_MS = 400
const MIB = 1024 ** 2
/** What is sent of a body whose end nobody announced, in MiB. */
const ENDLESS = size('UPLOAD_MIB', { smoke: 64, whole: 1024 })
const FORM = rawForm([
  ['Content-Disposition: form-data; name="file"; filename="a.txt"', 'Content-Type: text/plain'],
  'text',
])
const START = FORM.slice(0, FORM.indexOf('text\r\n'))

/** Resolves once a socket is closed, whatever closed it. */
const closing = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

/** A request for an upload whose body is still to come; `received` is what has been answered so far. */
async function begin({ server, ann }: Desk, headers: Readonly<Record<string, string>>) {
  const socket = connect(server.kernel.get(HttpServerCapability).port(), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const lines = Object.entries({ Host: 'a', Authorization: `Bearer ${ann.token}`, ...RAW, ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`POST ${FILES}/upload HTTP/1.1\r\n${head}\r\n`)
  const closed = closing(socket)
  return { socket, closed, received: () => Buffer.concat(chunks).toString() }
}

const chunkOf = (bytes: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ])

/** Writes as fast as it is taken; false once the other side takes no more. */
async function take(socket: Socket, bytes: Buffer): Promise<boolean> {
  if (socket.destroyed || !socket.writable) return false
  if (socket.write(bytes)) return true
  await Promise.race([new Promise<void>((resolve) => socket.once('drain', resolve)), closing(socket)])
  return !socket.destroyed
}

for (const store of STORES)
  for (const kind of PLACES)
    describe(`an upload that comes in its own time, files on ${kind.name}, on ${store.name}`, () => {
      const desk = useDesk(
        store,
        kind,
        { max_file_size: '2mb' },
        { rest: { port: 0, body_timeout_ms: SILENCE_MS } },
      )
      const keys = () => desk().place.keys()

      it('[C1.3] is taken byte by byte, however long that takes, while no silence is too long', async () => {
        const before = Date.now()
        const { socket, closed, received } = await begin(desk(), {
          'Content-Length': String(FORM.length),
          Connection: 'close',
        })
        const step = Math.ceil(FORM.length / 12)
        for (let at = 0; at < FORM.length; at += step) {
          socket.write(FORM.slice(at, at + step))
          await delay(SILENCE_MS / 8)
        }
        await closed
        expect(received()).toMatch(/^HTTP\/1\.1 201 /)
        expect(Date.now() - before).toBeGreaterThan(SILENCE_MS)
      })

      it('[C1.3] is given up after a silence, and leaves nothing', async () => {
        const known = keys().length
        const { socket, closed, received } = await begin(desk(), { 'Content-Length': String(FORM.length) })
        socket.write(FORM.slice(0, -8))
        await closed
        expect(received()).toMatch(/^HTTP\/1\.1 (400|408) |^$/)
        await expect.poll(() => keys().length).toBe(known)
      })

      it('[C1.3] that is cut off in the middle leaves nothing', async () => {
        const known = keys().length
        const { socket, closed } = await begin(desk(), { 'Transfer-Encoding': 'chunked' })
        socket.write(chunkOf(START + 'x'.repeat(500_000)))
        await delay(50)
        socket.destroy()
        await closed
        await expect.poll(() => keys().length).toBe(known)
      })

      it(`[C1.3] of ${ENDLESS} MiB in chunks that nobody announced is 413 once it is too large, and is not read to its end`, async () => {
        const known = keys().length
        const { socket, closed, received } = await begin(desk(), { 'Transfer-Encoding': 'chunked' })
        const part = chunkOf(Buffer.alloc(MIB, 'x'))
        await take(socket, chunkOf(START))
        let sent = 0
        while (sent < ENDLESS && (await take(socket, part))) sent += 1
        await closed
        expect(received()).toMatch(/^HTTP\/1\.1 4(13|22) /)
        expect(sent).toBeLessThan(40)
        await expect.poll(() => keys().length).toBe(known)
        expect((await desk().upload()).status).toBe(201)
      })
    })
