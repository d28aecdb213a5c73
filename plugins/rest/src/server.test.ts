import { Agent, createServer, get, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { Reply } from '@svc/kernel'
import { expect, onTestFinished, test, vi } from 'vitest'
import { trackConnections } from './connections.ts'
import { echo, held, open, start } from './fixtures/start.ts'

/** A connection on which `count` answers can be waited for. */
async function connectTo(port: number): Promise<Socket & { received(): string }> {
  let text = ''
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('latin1').on('data', (chunk) => (text += chunk))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return Object.assign(socket, { received: () => text })
}

/**
 * How long a test may take, in milliseconds, that goes on with a client which read nothing for a while: where the system loses sight of
 * its window, probes alone find it open again, which come ever more seldom (RFC 9293, section 3.8.6.1).
 */
const PROBED = { timeout: 120_000 }

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

test('the server says where it is, and logs it', async () => {
  const { url, port, logged } = await start([echo('get', 'GET /x')])
  expect(url()).toBe(`http://127.0.0.1:${port()}`)
  expect(logged).toContainEqual({ event: 'rest.listening', fields: { url: url() } })
  expect((await fetch(`${url()}/x`)).status).toBe(200)
})

test('a taken port ends the start with advice', async () => {
  const { port } = await start([])
  await expect(start([], { port: port() })).rejects.toThrow(/EADDRINUSE.*set 'rest.port' to a free port/)
})

test('HEAD has the length of GET on the wire and no body', async () => {
  const { wire } = await start([echo('get', 'GET /x')])
  const ask = (method: string) =>
    wire(`${method} /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: 1\r\n\r\n`)
  const [head, got] = [await ask('HEAD'), await ask('GET')]
  const [headers, body] = got.split('\r\n\r\n')
  const sorted = (text: string | undefined) =>
    text
      ?.toLowerCase()
      .split('\r\n')
      .filter((l) => !l.startsWith('date'))
      .sort()
  expect(sorted(head.trimEnd())).toEqual(sorted(headers))
  expect(head.toLowerCase()).toContain(`content-length: ${body?.length}`)
  expect(head.endsWith('\r\n\r\n')).toBe(true)
})

test.each([
  ['rubbish\r\n\r\n', 400],
  ['GET /x HTTP/1.1\r\nHost: a\r\nBad Header: 1\r\n\r\n', 400],
  ['GET /x HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
  ['POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
  [
    'POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    400,
  ],
  [`GET /x HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
])('%j is answered with the envelope', async (text, status) => {
  const { wire, url } = await start([echo('get', 'GET /x'), echo('make', 'POST /x')])
  const answer = await wire(text)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(answer.toLowerCase()).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/)
  expect(answer).toContain('"error_code":"BAD_REQUEST"')
  expect((await fetch(`${url()}/x`)).status).toBe(200)
})

test('[C1.8] a path with a backslash names nothing', async () => {
  const { wire } = await start([echo('get', 'GET /x')])
  const answer = await wire('GET /x\\y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1.1 404 /)
  expect(answer).toContain('"error_code":"NOT_FOUND"')
})

test('[2.1] HTTP/1.1 names its host once; HTTP/1.0 need not', async () => {
  const { wire } = await start([echo('get', 'GET /x')])
  expect(await wire('GET /x HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
  expect(await wire('GET http://a/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1.1 200 /,
  )
  for (const hosts of ['', 'Host:\r\n', 'Host: a\r\nhost: b\r\n']) {
    for (const target of ['/x', 'http://a/x']) {
      const answer = await wire(`GET ${target} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
      expect(answer, hosts).toMatch(/^HTTP\/1.1 400 [^]*x-request-id: [^]*"error_code":"BAD_REQUEST"/i)
    }
  }
})

test('rubbish after a request does not cost that request its answer', async () => {
  const slow = held('slow', 'GET /slow')
  const { wire } = await start([slow.action])
  const answers = wire(`${GET('/slow')}rubbish\r\n\r\n`)
  await slow.begun
  slow.answer('kept')
  expect(await answers).toMatch(/^HTTP\/1.1 200 [^]*"data":"kept"[^]*HTTP\/1.1 400 /)
})

test('a client that never ends its headers is turned away', async () => {
  const { wire } = await start([], { headers_timeout_ms: 100 })
  expect(await wire('GET /x HTTP/1.1\r\nHost: a\r\nX-Slow: ')).toMatch(/^HTTP\/1.1 400 [^]*took too long/)
})

test('an answer that takes too long is 503, and the action is told', async () => {
  const slow = held('slow', 'GET /slow')
  const { ask } = await start([slow.action], { request_timeout_ms: 50 })
  const response = await ask('/slow')
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error_code: 'UNAVAILABLE' })
  expect((await slow.begun).aborted).toBe(true)
})

test('the time that a client takes to send its body does not count', async () => {
  const { port } = await start([echo('make', 'POST /x')], { request_timeout_ms: 100 })
  const socket = await connectTo(port())
  socket.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{')
  await setTimeout(300)
  expect(socket.received()).toBe('')
  socket.end('}')
  await once(socket, 'close')
  expect(socket.received()).toMatch(/^HTTP\/1.1 200 /)
})

test('a client that does not read its answer is cut off', PROBED, async () => {
  const long = open('long', 'GET /long', () => 'x'.repeat(16_000_000))
  const { port } = await start([long], { request_timeout_ms: 100, body_timeout_ms: 100 })
  const socket = await connectTo(port())
  socket.write(GET('/long'))
  // However long it takes to make the answer: the client stops once it has begun.
  await once(socket, 'data')
  socket.pause()
  await setTimeout(1000)
  socket.resume()
  await once(socket, 'close')
  expect(socket.received().length).toBeLessThan(16_000_000)
})

test('a client is timed while something waits for it, and not while its answer rests', PROBED, async () => {
  let theirs: Socket | undefined
  const server = createServer((_, response) => void response.write('x'.repeat(16_000_000)))
  trackConnections(server, 60_000)
  server.on('connection', (socket: Socket) => (theirs = socket))
  server.listen(0, '127.0.0.1')
  onTestFinished(() => server.closeAllConnections())
  await once(server, 'listening')
  const socket = await connectTo((server.address() as AddressInfo).port)
  socket.write(GET('/'))
  await once(socket, 'data')
  socket.pause()
  await expect.poll(() => theirs?.timeout).toBe(60_000)
  socket.resume()
  await expect.poll(() => theirs?.timeout, { timeout: 50_000 }).toBe(0)
  expect(socket.received().length).toBeGreaterThan(16_000_000)
  socket.destroy()
  server.close()
})

test('a connection whose client was slow rests no longer than others', PROBED, async () => {
  const long = open('long', 'GET /long', () => 'x'.repeat(16_000_000))
  const { port } = await start([long], { keep_alive_timeout_ms: 50, request_timeout_ms: 400 })
  const socket = await connectTo(port())
  socket.write(GET('/long'))
  await once(socket, 'data')
  socket.pause()
  await setTimeout(1200)
  socket.resume()
  await once(socket, 'close')
  expect(socket.received().length).toBeGreaterThan(16_000_000)
})

// Linux alone tells of the timers of a connection, in a file.
test.runIf(process.platform === 'linux')('the system looks after clients that say nothing', async () => {
  const { port } = await start([])
  const socket = await connectTo(port())
  const local = `:${port().toString(16).toUpperCase().padStart(4, '0')}`
  const established = () =>
    readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .find(([, own, , state]) => own?.endsWith(local) && state === '01')
  // The kind of timer that runs (proc(5)): 02 is that of keep-alive.
  await expect.poll(() => established()?.[5]).toMatch(/^02:/)
  socket.destroy()
})

test('the action is told when its client goes away', async () => {
  const slow = held('slow', 'GET /slow')
  const { url } = await start([slow.action])
  const asked = get(`${url()}/slow`).on('error', () => undefined)
  const signal = await slow.begun
  expect(signal.aborted).toBe(false)
  asked.destroy()
  await once(signal, 'abort')
})

test('the action sees the address of its client', async () => {
  const remote = open('remote', 'GET /remote', (_, call) => call.request?.remote)
  const { url } = await start([remote], { trusted_proxies: ['127.0.0.1'] })
  const response = await fetch(`${url()}/remote`, { headers: { 'x-forwarded-for': '6.6.6.6, 1.2.3.4' } })
  expect(await response.json()).toMatchObject({ data: '1.2.3.4' })
})

const streamed = (pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void) =>
  new Reply({ content: { type: 'text/csv', body: new ReadableStream<Uint8Array>({ pull }) } })

test('a streamed answer arrives whole', async () => {
  let row = 0
  const rows = () =>
    streamed((controller) =>
      row < 1000 ? controller.enqueue(Buffer.from(`${row++}\r\n`)) : controller.close(),
    )
  const { url } = await start([open('rows', 'GET /rows', rows)])
  const response = await fetch(`${url()}/rows`)
  expect(response.headers.get('content-type')).toBe('text/csv')
  expect((await response.text()).trimEnd().split('\r\n')).toHaveLength(1000)
})

test('a stream that breaks off cuts the connection and is logged', async () => {
  let begun = false
  const rows = () =>
    streamed((controller) => {
      if (begun) throw new Error('the disk is gone')
      begun = true
      controller.enqueue(Buffer.from('first'))
    })
  const { url, logged } = await start([open('rows', 'GET /rows', rows)])
  const response = await fetch(`${url()}/rows`)
  await expect(response.text()).rejects.toThrow()
  expect(logged.map(({ event }) => event)).toContain('rest.stream_failed')
})

test('who leaves a stream while it waits has broken nothing off', async () => {
  let left = 0
  const rows = () =>
    new Reply({
      content: {
        type: 'text/csv',
        body: new ReadableStream<Uint8Array>(
          {
            start: (controller) => controller.enqueue(Buffer.from('first')),
            pull: () => undefined,
            cancel: () => void (left += 1),
          },
          { highWaterMark: 0 },
        ),
      },
    })
  const { url, logged } = await start([open('rows', 'GET /rows', rows)])
  for (let visit = 1; visit <= 3; visit += 1) {
    const gone = new AbortController()
    const response = await fetch(`${url()}/rows`, { signal: gone.signal })
    await response.body!.getReader().read()
    gone.abort()
    await expect.poll(() => left).toBe(visit)
  }
  expect(logged.map(({ event }) => event)).not.toContain('rest.stream_failed')
})

test('bytes arrive as they are', async () => {
  const bytes = Uint8Array.from([0, 255, 10, 13])
  const { url } = await start([
    open(
      'file',
      'GET /file',
      () => new Reply({ content: { type: 'application/octet-stream', body: bytes } }),
    ),
  ])
  const response = await fetch(`${url()}/file`)
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
})

test('a stop finishes what is under way, closes what rests, and takes nothing new', async () => {
  const slow = held('slow', 'GET /slow')
  const { kernel, port } = await start([slow.action, echo('get', 'GET /x')])
  const [fresh, resting, busy] = [await connectTo(port()), await connectTo(port()), await connectTo(port())]
  resting.write(GET('/x'))
  await once(resting, 'data')
  busy.write(GET('/slow'))
  await slow.begun

  let stopped = false
  const stop = kernel.stop().then(() => (stopped = true))
  await Promise.all([once(fresh, 'close'), once(resting, 'close')])
  const late = connect(port(), '127.0.0.1')
  const [error] = await once(late, 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  expect(stopped).toBe(false)

  slow.answer('done')
  await once(busy, 'close')
  await stop
  expect(busy.received()).toMatch(/^HTTP\/1.1 200 [^]*connection: close[^]*"data":"done"/i)
})

test('a request that follows on a busy connection during the stop is still answered', async () => {
  const slow = held('slow', 'GET /slow')
  const { kernel, port } = await start([slow.action, echo('make', 'POST /x')])
  const busy = await connectTo(port())
  busy.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a"')
  const other = await connectTo(port())
  other.write(GET('/slow'))
  await slow.begun
  const stop = kernel.stop()
  busy.write(':1}')
  await once(busy, 'close')
  expect(busy.received()).toMatch(/^HTTP\/1.1 200 [^]*"data":\{"a":1\}/)
  slow.answer(null)
  await stop
})

test('a stop does not wait for ever', async () => {
  const slow = held('slow', 'GET /slow')
  const { kernel, port } = await start([slow.action], { drain_timeout_ms: 100 })
  const busy = await connectTo(port())
  busy.write(GET('/slow'))
  await slow.begun
  const closed = once(busy, 'close')
  await kernel.stop()
  await closed
  expect(busy.received()).toBe('')
})

test('connections beyond the limit are closed', async () => {
  const { port } = await start([], { max_connections: 1 })
  const first = await connectTo(port())
  const second = connect(port(), '127.0.0.1').on('error', () => undefined)
  await once(second, 'close')
  expect(first.destroyed).toBe(false)
})

test('a connection is used again after an answer, a refusal and an expectation', async () => {
  const { port } = await start([echo('make', 'POST /x')])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (path: string, headers: Record<string, string> = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ port: port(), path, method: 'POST', agent, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
      asked.on('error', reject).end('{}')
    })
  const json = { 'content-type': 'application/json' }
  expect(await ask('/x', json)).toBe(200)
  expect(await ask('/no', json)).toBe(404)
  expect(await ask('/x', { 'content-type': 'text/plain' })).toBe(415)
  expect(await ask('/x', { ...json, expect: 'miracles' })).toBe(200)
  agent.destroy()
})

test('what a client sends ahead is begun once the answer before it has left', async () => {
  const [first, second] = [held('first', 'GET /first'), held('second', 'POST /second')]
  const { port } = await start([first.action, second.action, echo('get', 'GET /x')])
  const socket = await connectTo(port())
  const posted =
    'POST /second HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{'
  socket.write(`${GET('/first')}${posted}`)
  await first.begun
  let isBegun = false
  void second.begun.then(() => (isBegun = true))
  await setTimeout(50)
  expect(isBegun).toBe(false)
  first.answer('one')
  await once(socket, 'data')
  socket.write(`}${GET('/x')}`)
  await second.begun
  second.answer('two')
  await expect.poll(() => socket.received().match(/HTTP\/1.1 200/g)?.length).toBe(3)
  expect(socket.received()).toMatch(/"data":"one"[^]*"data":"two"[^]*"data":\{\}/)
  socket.destroy()
})

test('a client that asks for much and reads nothing has one answer made for it', PROBED, async () => {
  let made = 0
  const long = open('long', 'GET /long', () => {
    made += 1
    return 'x'.repeat(12_000_000)
  })
  const { port, url } = await start([long, echo('get', 'GET /x')])
  const socket = await connectTo(port())
  socket.pause()
  socket.write(GET('/long').repeat(100))
  await expect.poll(() => made).toBe(1)
  for (let round = 0; round < 20; round += 1) expect((await fetch(`${url()}/x`)).status).toBe(200)
  expect(made).toBe(1)
  let received = 0
  socket.on('data', (chunk: string) => (received += chunk.length))
  socket.resume()
  await expect.poll(() => made, { timeout: 60_000 }).toBeGreaterThan(3)
  await expect.poll(() => received, { timeout: 60_000 }).toBeGreaterThan(36_000_000)
  socket.destroy()
})

test(
  'where too much is unread, requests are 503 for a moment, then those who read nothing are cut off',
  PROBED,
  async () => {
    const long = open('long', 'GET /long', () => 'x'.repeat(20_000_000))
    const { port, url, logged } = await start([long, echo('get', 'GET /x')], { max_unsent_bytes: 30_000_000 })
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const sockets = await Promise.all(Array.from({ length: 3 }, () => connectTo(port())))
    const closed = Promise.race(sockets.map((socket) => once(socket, 'close')))
    for (const socket of sockets) {
      socket.pause()
      socket.write(GET('/long'))
    }
    const ask = async () => {
      const response = await fetch(`${url()}/x`)
      return [response.status, response.headers.get('retry-after')]
    }
    await expect.poll(ask, { timeout: 10_000 }).toEqual([503, '1'])
    vi.advanceTimersByTime(1001)
    await expect.poll(ask, { timeout: 10_000 }).toEqual([200, null])
    expect(logged.map(({ event }) => event)).toContain('rest.reader_ended')
    for (const socket of sockets) socket.resume()
    await closed
    for (const socket of sockets) socket.destroy()
  },
)
