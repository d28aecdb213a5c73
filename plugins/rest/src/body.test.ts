import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { echo, start } from './fixtures/start.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const actions = [echo('make', 'POST /x'), echo('remove', 'DELETE /x'), echo('get', 'GET /x')]
const codeOf = async (response: Response) => ((await response.json()) as { error_code?: string }).error_code
const post = (text: string) =>
  `POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n${text}`

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON;charset=whatever; q=1',
  'application/merge-patch+json',
  'application/vnd.a.b+json ;v=1',
])('%s is JSON', async (type) => {
  const { ask } = await start(actions)
  const response = await ask('/x', { method: 'POST', headers: { 'content-type': type }, body: '{"a":1}' })
  expect(await response.json()).toMatchObject({ code: 200, data: { a: 1 } })
})

test.each([
  'text/plain',
  'application/jsonp',
  'multipart/form-data; boundary=x',
  'text/json',
  'application/+json',
])('%s is not', async (type) => {
  const { ask } = await start(actions)
  const response = await ask('/x', { method: 'POST', headers: { 'content-type': type }, body: '{}' })
  expect([response.status, await codeOf(response)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test('a body without a type, or with a content coding, is 415', async () => {
  const { ask, wire } = await start(actions)
  const coded = { ...JSON_TYPE, 'content-encoding': 'gzip' }
  expect((await ask('/x', { method: 'POST', headers: coded, body: '{}' })).status).toBe(415)
  const bare = await wire('POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}')
  expect(bare).toMatch(/^HTTP\/1.1 415 /)
})

test('a request without a body needs no type', async () => {
  const { ask, wire } = await start(actions)
  expect((await ask('/x', { method: 'POST' })).status).toBe(200)
  expect(await wire('POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')).toMatch(
    /^HTTP\/1.1 200 /,
  )
  const empty =
    'POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
  expect(await wire(empty)).toMatch(/^HTTP\/1.1 200 /)
})

test.each(['{', '{"a":1}}', '{a:1}', 'NaN', ' ', '"\\x"'])('the body %j is 400', async (body) => {
  const { ask } = await start(actions)
  const response = await ask('/x', { method: 'POST', headers: JSON_TYPE, body })
  expect([response.status, await codeOf(response)]).toEqual([400, 'BAD_REQUEST'])
})

test('bytes that are not UTF-8 are 400, and a byte order mark is passed over', async () => {
  const { ask } = await start(actions)
  const send = (bytes: number[]) =>
    ask('/x', { method: 'POST', headers: JSON_TYPE, body: new Uint8Array(bytes) })
  expect((await send([0x22, 0xff, 0x22])).status).toBe(400)
  expect(await (await send([0xef, 0xbb, 0xbf, 0x7b, 0x7d])).json()).toMatchObject({ code: 200, data: {} })
})

test('DELETE may have a body; GET and HEAD may not', async () => {
  const { ask, wire } = await start(actions)
  const removed = await ask('/x', { method: 'DELETE', headers: JSON_TYPE, body: '{"why":"old"}' })
  expect(await removed.json()).toMatchObject({ data: { why: 'old' } })
  for (const method of ['GET', 'HEAD']) {
    const text = await wire(
      `${method} /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    )
    expect(text, method).toMatch(/^HTTP\/1.1 400 /)
  }
})

test('harmful JSON is refused by its rule', async () => {
  const { ask } = await start(actions)
  const response = await ask('/x', {
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"__proto__":{"admin":true}}',
  })
  expect([response.status, await codeOf(response)]).toEqual([422, 'VALIDATION_ERROR'])
})

test('a body of the limit is read; one more byte is 413, and the connection is closed', async () => {
  const { url } = await start(actions, { body_limit_bytes: 100_000 })
  const send = (size: number) =>
    fetch(`${url()}/x`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify('x'.repeat(size - 2)) })
  expect((await send(100_000)).status).toBe(200)
  const refused = await send(100_001)
  expect([refused.status, await codeOf(refused)]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  expect(refused.headers.get('connection')).toBe('close')
})

test('a client that sends far too much, and only then reads, still gets to read its 413', async () => {
  const { port } = await start(actions)
  const socket = connect(port(), '127.0.0.1').pause()
  const bytes = 20_000_000
  const text = post(`Content-Length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`)
  await new Promise<void>((resolve, reject) =>
    socket.write(text, (error) => (error ? reject(error) : resolve())),
  )
  const [answer] = await once(socket.resume(), 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 413 /)
  await once(socket, 'close')
})

test('a client that sends too much in pieces, for longer than a moment, still gets to read its 413', async () => {
  const { port } = await start(actions)
  const socket = connect(port(), '127.0.0.1').pause()
  const piece = ' '.repeat(500_000)
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => socket.write(text, (error) => (error ? reject(error) : resolve())))
  await write(post(`Content-Length: ${12 * piece.length}\r\n\r\n`))
  for (let sent = 0; sent < 12; sent += 1) {
    await delay(100)
    await write(piece)
  }
  const [answer] = await once(socket.resume(), 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 413 /)
  await once(socket, 'close')
})

test('an announced size over the limit is refused before the body comes', async () => {
  const { wire } = await start(actions)
  expect(await wire(post('Content-Length: 9999999999\r\n\r\n'))).toMatch(/^HTTP\/1.1 413 /)
})

test('an unannounced body is counted as it comes', async () => {
  const { wire } = await start(actions, { body_limit_bytes: 100 })
  const chunk = `40\r\n${'1'.repeat(64)}\r\n`
  expect(await wire(post(`Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`))).toMatch(/^HTTP\/1.1 200 /)
  expect(await wire(post(`Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`))).toMatch(/^HTTP\/1.1 413 /)
})

test('a body that does not come in time is 400', async () => {
  const { wire } = await start(actions, { body_timeout_ms: 50 })
  const text = await wire(post('Content-Length: 10\r\n\r\n{'))
  expect(text).toMatch(/^HTTP\/1.1 400 /)
  expect(text).toContain('took too long')
})
