import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Action, Call, RawBody } from '@svc/kernel'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { HttpEnv } from './contract.ts'
import { echo, start } from './fixtures/start.ts'

const MEGABYTE = 1024 * 1024

/** What came of a handler, for a client that may be gone by then. */
interface Outcome {
  size: number
  error?: unknown
  signal?: AbortSignal
}

/** An action that counts the bytes that it is sent, and takes its time over each chunk. */
function counting(rawBody: RawBody, more: Partial<Action> = {}, pauseMs = 0) {
  const outcomes: Outcome[] = []
  const action: Action = {
    name: 'upload',
    access: ['*'],
    routes: ['POST /files/:name'],
    rawBody,
    async handle(input, call: Call) {
      const outcome: Outcome = { size: 0, signal: call.signal }
      outcomes.push(outcome)
      const hash = createHash('sha256')
      try {
        for await (const chunk of call.body) {
          outcome.size += chunk.length
          hash.update(chunk)
          if (pauseMs > 0) await delay(pauseMs)
        }
      } catch (error) {
        outcome.error = error
        throw error
      }
      return { input, type: call.body.type, size: outcome.size, hash: hash.digest('hex') }
    },
    ...more,
  }
  return { action, outcomes }
}

/** An action that answers without a look at what it is sent. */
const careless = (bytes: number): Action => ({
  name: 'careless',
  access: ['*'],
  routes: ['POST /careless'],
  rawBody: { bytes },
  handle: () => 'done',
})

interface Received {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  // Tests look into answers whose shape is the very thing under test.
  readonly body: any
}

/** The answer to a request that is still being sent. */
async function answerTo(sending: ClientRequest): Promise<Received> {
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) }
}

function post(url: string, headers: Record<string, string | number> = {}): ClientRequest {
  const sending = request(url, { method: 'POST', headers: { 'content-type': 'image/png', ...headers } })
  // A connection that is closed on a client that still sends.
  sending.on('error', () => undefined)
  return sending
}

test('a handler reads the bytes as they are, of any type, beside its path and its query', async () => {
  const { ask } = await start([counting({ bytes: 100 }).action])
  const body = Uint8Array.from([0, 255, 10, 13, 128])
  const response = await ask('/files/a.png?size=big', {
    method: 'POST',
    headers: { 'content-type': 'image/png; v=1' },
    body,
  })
  expect(await response.json()).toEqual({
    status: 'ok',
    code: 200,
    data: {
      input: { name: 'a.png', size: 'big' },
      type: 'image/png; v=1',
      size: 5,
      hash: createHash('sha256').update(body).digest('hex'),
    },
  })
})

test('a message without a body has no bytes', async () => {
  const { ask } = await start([counting({ bytes: 100, types: ['image/png'] }).action])
  const response = await ask('/files/a', { method: 'POST' })
  expect(await response.json()).toMatchObject({ data: { size: 0 } })
})

test.each([
  [['image/png', 'application/*'], 'image/png', 200],
  [['image/png', 'application/*'], 'Image/PNG; v=1', 200],
  [['image/png', 'application/*'], 'application/pdf', 200],
  [['image/png', 'application/*'], 'image/pngx', 415],
  [['image/png', 'application/*'], 'applicationx/pdf', 415],
  [['image/png', 'application/*'], undefined, 415],
  [undefined, 'multipart/form-data; boundary=x', 200],
  [undefined, undefined, 200],
] as const)('of the types %j, %s is %i', async (types, type, status) => {
  const { ask } = await start([counting({ bytes: 100, ...(types && { types }) }).action])
  const body = new Blob(['bytes'])
  const response = await ask('/files/a', {
    method: 'POST',
    body,
    ...(type && { headers: { 'content-type': type } }),
  })
  expect(response.status).toBe(status)
  if (status === 415)
    expect(await response.json()).toMatchObject({
      error_code: 'UNSUPPORTED_MEDIA_TYPE',
      error_message: 'Send the body as image/png or application/*',
    })
})

test('a body with a content coding is 415', async () => {
  const { ask } = await start([counting({ bytes: 100 }).action])
  const headers = { 'content-type': 'image/png', 'content-encoding': 'gzip' }
  expect((await ask('/files/a', { method: 'POST', headers, body: 'x' })).status).toBe(415)
})

test('its own limit counts, not that of other bodies', async () => {
  const { url } = await start([counting({ bytes: 200_000 }).action, echo('make', 'POST /x')], {
    body_limit_bytes: 1000,
  })
  const send = (size: number) => fetch(`${url()}/files/a`, { method: 'POST', body: new Uint8Array(size) })
  expect(await (await send(200_000)).json()).toMatchObject({ data: { size: 200_000 } })
  const refused = await send(200_001)
  expect([refused.status, ((await refused.json()) as { error_code: string }).error_code]).toEqual([
    413,
    'PAYLOAD_TOO_LARGE',
  ])
})

test('an announced size over the limit is refused before the action begins', async () => {
  const { action, outcomes } = counting({ bytes: 1000 })
  const { url } = await start([action])
  const sending = post(`${url()}/files/a`, { 'content-length': 1001 })
  sending.flushHeaders()
  expect((await answerTo(sending)).status).toBe(413)
  expect(outcomes).toEqual([])
})

test('who may not call the action is refused before a byte is asked for', async () => {
  const { action, outcomes } = counting({ bytes: 500 * MEGABYTE }, { access: ['admin'] })
  const { url } = await start([action])
  const sending = post(`${url()}/files/a`, { 'content-length': 300 * MEGABYTE, expect: '100-continue' })
  let isAsked = false
  sending.on('continue', () => (isAsked = true)).flushHeaders()
  const { status, headers } = await answerTo(sending)
  expect([status, headers.connection, isAsked, outcomes]).toEqual([401, 'close', false, []])
})

test('a client that waits to be asked for its body is asked once it is read', async () => {
  const { action } = counting({ bytes: 100 })
  const { url } = await start([action, echo('make', 'POST /x')])
  for (const [path, type] of [
    ['/files/a', 'image/png'],
    ['/x', 'application/json'],
  ] as const) {
    const sending = post(`${url()}${path}`, {
      'content-type': type,
      'content-length': 2,
      expect: '100-continue',
    })
    sending.flushHeaders()
    await once(sending, 'continue')
    sending.end('{}')
    expect((await answerTo(sending)).status).toBe(200)
  }
})

test('a body of no announced size is refused on its way past the limit', async () => {
  const { action, outcomes } = counting({ bytes: 100_000 })
  const { url } = await start([action])
  const sending = post(`${url()}/files/a`)
  const stopped = once(sending, 'close')
  const writing = setInterval(() => sending.write(new Uint8Array(20_000)), 1)
  const { status, headers } = await answerTo(sending)
  clearInterval(writing)
  expect([status, headers.connection]).toEqual([413, 'close'])
  expect(outcomes[0]?.error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  expect(outcomes[0]?.size).toBeLessThanOrEqual(100_000)
  await stopped
})

test.each([
  [200, 0],
  [200, 0.5],
])('%i MB go through in bounded memory, at %d ms a chunk', async (megabytes, pauseMs) => {
  const size = megabytes * MEGABYTE
  const { action } = counting({ bytes: size }, {}, pauseMs)
  const { url } = await start([action])
  const sending = post(`${url()}/files/a`, { 'content-length': size })
  const answered = answerTo(sending)
  const part = Buffer.alloc(256 * 1024, 'a')
  const hash = createHash('sha256')
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let sent = 0; sent < size; sent += part.length) {
    hash.update(part)
    if (!sending.write(part)) await once(sending, 'drain')
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  sending.end()
  const { status, body } = await answered
  expect([status, body.data.size, body.data.hash]).toEqual([200, size, hash.digest('hex')])
  expect(most).toBeLessThan(100 * MEGABYTE)
})

test("a slow client's time does not count, as long as bytes come", async () => {
  const { url } = await start([counting({ bytes: 100 }).action], {
    request_timeout_ms: 80,
    body_timeout_ms: 150,
    headers_timeout_ms: 100,
  })
  const sending = post(`${url()}/files/a`, { 'content-length': 6 })
  const answered = answerTo(sending)
  for (let sent = 0; sent < 6; sent += 1) {
    sending.write('x')
    await delay(100)
  }
  sending.end()
  expect(await answered).toMatchObject({ status: 200, body: { data: { size: 6 } } })
})

test('what plugins hung before the action does not change how its body comes', async () => {
  const size = 20 * MEGABYTE
  const { action, outcomes } = counting({ bytes: size })
  const { url, use } = await start([action], { body_timeout_ms: 150 })
  use(new Hono<HttpEnv>().use('*', (_, next) => next()))
  const sending = post(`${url()}/files/a`, { 'content-length': size })
  const answered = answerTo(sending)
  for (let at = 0; at < 20; at += 1) {
    if (!sending.write(Buffer.alloc(MEGABYTE))) await once(sending, 'drain')
    await delay(20)
  }
  expect(outcomes[0]?.size).toBeGreaterThan(MEGABYTE)
  sending.end()
  expect(await answered).toMatchObject({ status: 200, body: { data: { size } } })
})

test('a body that stops coming is 400', async () => {
  const { action, outcomes } = counting({ bytes: 100 })
  const { url } = await start([action], { body_timeout_ms: 50 })
  const sending = post(`${url()}/files/a`, { 'content-length': 6 })
  sending.write('x')
  const { status, body } = await answerTo(sending)
  expect([status, body.error_message]).toEqual([400, 'The body took too long to arrive'])
  expect(outcomes[0]?.size).toBe(1)
})

test('a body that comes a byte at a time for ever is 400', async () => {
  const { action, outcomes } = counting({ bytes: 1000 })
  const { url } = await start([action], { body_timeout_ms: 40 })
  const sending = post(`${url()}/files/a`, { 'content-length': 1000 })
  const answered = answerTo(sending)
  const dripping = setInterval(() => sending.write('x'), 10)
  const { status, body } = await answered
  clearInterval(dripping)
  expect([status, body.error_message]).toEqual([400, 'The body took too long to arrive'])
  expect(outcomes[0]!.size).toBeGreaterThan(1)
})

test('an action that takes too long over what it was sent is 503', async () => {
  const { action, outcomes } = counting({ bytes: 100 }, {}, 10_000)
  const { url } = await start([action], { request_timeout_ms: 50 })
  const sending = post(`${url()}/files/a`, { 'content-length': 6 })
  sending.write('x')
  expect((await answerTo(sending)).status).toBe(503)
  expect(outcomes[0]?.signal?.aborted).toBe(true)
})

test('where the client goes, the reading fails and the action is told', async () => {
  const { action, outcomes } = counting({ bytes: 1000 })
  const { url } = await start([action])
  const sending = post(`${url()}/files/a`, { 'content-length': 600 })
  sending.write('x')
  await expect.poll(() => outcomes[0]?.size).toBe(1)
  sending.destroy()
  await expect.poll(() => outcomes[0]?.error).toMatchObject({ code: 'BAD_REQUEST' })
  await expect.poll(() => outcomes[0]?.signal?.aborted).toBe(true)
})

test('a body that nobody reads is passed over where it is short, and else ends the connection', async () => {
  const { port } = await start([careless(100 * MEGABYTE)], { body_limit_bytes: 1000 })
  const head = (length: number) =>
    `POST /careless HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nContent-Length: ${length}\r\n\r\n`
  const socket = connect(port(), '127.0.0.1')
  const closed = once(socket, 'close')
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk) => (received += chunk))
  const count = () => received.split('HTTP/1.1 200 ').length - 1
  socket.write(head(900))
  await expect.poll(count).toBe(1)
  socket.write('x'.repeat(900))
  socket.write(head(50 * MEGABYTE))
  await expect.poll(count).toBe(2)
  expect(received.toLowerCase().split('connection: close')).toHaveLength(2)
  await closed
})

test('GET has no body, raw or not', async () => {
  const { wire } = await start([{ ...careless(100), routes: ['GET /careless'] }])
  const text = 'GET /careless HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}'
  expect(await wire(text)).toMatch(/^HTTP\/1.1 400 /)
})

test('what is left of the body of a refused request is waited for as long as any', async () => {
  const { port } = await start([echo('make', 'POST /x')], { body_timeout_ms: 100 })
  const socket = connect(port(), '127.0.0.1')
  socket.on('error', () => undefined).resume()
  socket.write(
    'POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
  )
  const began = performance.now()
  await once(socket, 'close')
  expect(performance.now() - began).toBeLessThan(5000)
})
