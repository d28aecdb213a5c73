import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Action, Arrival } from '@svc/kernel'
import { expect, onTestFinished, test } from 'vitest'
import { start, type Started } from './fixtures/start.ts'

const GET = (path: string) => `GET /x/${path} HTTP/1.1\r\nHost: a\r\n\r\n`

/** What the handler of a request saw of its arrival. */
interface Seen {
  readonly path: string
  readonly arrival: Arrival | undefined
  readonly wasOver: boolean | undefined
}

/** A server that notes what each request comes in with; `meanwhile` is done as one is handled. */
async function startNoting(meanwhile: (path: string) => unknown = () => undefined) {
  const seen: Seen[] = []
  const note: Action = {
    name: 'svc.test.note',
    summary: 'Notes',
    access: ['*'],
    routes: ['GET /x/:path'],
    bind: ({ params }) => params['path'],
    handle(path: string, { request }) {
      if (path !== 'hello') seen.push({ path, arrival: request?.arrival, wasOver: request?.arrival?.isOver })
      const done = meanwhile(path)
      return done instanceof Promise ? done.then(() => ({ path })) : { path }
    },
  }
  const server = await start([note])
  return { server, seen }
}

/** Connections that the server has taken, and answered once. */
async function connectTo(server: Started, count: number): Promise<readonly Socket[]> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(server.port(), '127.0.0.1')
      socket.write(GET('hello'))
      await once(socket, 'data')
      return socket.resume()
    }),
  )
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  return sockets
}

test('requests that were found waiting together share an arrival, which is over once they are read', async () => {
  const { server, seen } = await startNoting()
  const sockets = await connectTo(server, 3)
  const sendAll = (what: string) => {
    sockets.forEach((socket, at) => socket.write(GET(`${what}-${at}`)))
    // The event loop does not look before the system has delivered all of them.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
  sendAll('first')
  await expect.poll(() => seen.length).toBe(3)
  const [arrival] = seen.map((one) => one.arrival)
  expect(arrival).toBeDefined()
  for (const one of seen) expect(one).toMatchObject({ arrival, wasOver: false })
  await turn()
  expect(arrival?.isOver).toBe(true)

  sendAll('second')
  await expect.poll(() => seen.length).toBe(6)
  const later = new Set(seen.slice(3).map((one) => one.arrival))
  expect(later.size).toBe(1)
  expect(later.has(arrival)).toBe(false)
})

test('what is sent once the server has begun to answer the others arrives by itself, and hears of their end first', async () => {
  const order: string[] = []
  const idle: Socket[] = []
  const { server, seen } = await startNoting((path) => {
    if (path !== 'hello') order.push(path)
    if (path !== 'early') return
    seen[0]?.arrival?.onceOver(() => order.push('over'))
    for (const socket of idle) socket.write(GET('late'))
  })
  const [early, ...others] = await connectTo(server, 2)
  idle.push(...others)
  early?.write(GET('early'))
  await expect.poll(() => seen.length).toBe(2)
  expect(order).toEqual(['early', 'over', 'late'])
  expect(seen[1]?.arrival).not.toBe(seen[0]?.arrival)
})

const together = (seen: readonly Seen[]) => seen.map(({ path, arrival }) => [path, arrival !== undefined])

test('a request that was sent ahead comes alone', async () => {
  const { server, seen } = await startNoting()
  const [socket] = await connectTo(server, 1)
  socket?.write(GET('first') + GET('ahead'))
  await expect.poll(() => seen.length).toBe(2)
  socket?.write(GET('after'))
  await expect.poll(() => seen.length).toBe(3)
  expect(together(seen)).toEqual([
    ['first', true],
    ['ahead', false],
    ['after', true],
  ])
})

test('a request that waited for the answer before it comes alone, and so does what follows on its connection', async () => {
  const { server, seen } = await startNoting((path) => path !== 'hello' && turn())
  const [socket] = await connectTo(server, 1)
  socket?.write(GET('first') + GET('behind'))
  await expect.poll(() => seen.length).toBe(2)
  socket?.write(GET('after'))
  await expect.poll(() => seen.length).toBe(3)
  expect(together(seen)).toEqual([
    ['first', true],
    ['behind', false],
    ['after', false],
  ])
})

test('requests come alone where so many connections are open that one look may not find all', async () => {
  const { server, seen } = await startNoting()
  const sockets = await connectTo(server, 501)
  sockets[0]?.write(GET('one-of-many'))
  await expect.poll(() => seen.length).toBe(1)
  expect(seen[0]?.arrival).toBeUndefined()
})

test('a request made inside the process comes alone', async () => {
  const { server, seen } = await startNoting()
  expect((await server.ask('/x/inside')).status).toBe(200)
  expect(seen).toEqual([{ path: 'inside', arrival: undefined, wasOver: undefined }])
})
