import { once } from 'node:events'
import { get } from 'node:http'
import { defineAction } from '@svc/kernel'
import { expect, test } from 'vitest'
import { represent } from './contract.ts'
import { start } from './fixtures/start.ts'

const TEXT = 'abcdefghijklmnopqrstuvwxyz'
const MODIFIED = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const DATE = 'Fri, 02 Jan 2026 03:04:05 GMT'
const ETAG = '"alphabet"'

/** An address with the alphabet, as text or as a stream of single letters. */
async function alphabet(as: 'bytes' | 'stream' = 'bytes') {
  const action = defineAction({
    name: 'alphabet',
    access: ['*'],
    routes: ['GET /abc'],
    handle: (_, call) =>
      represent(call, {
        type: 'text/plain',
        size: TEXT.length,
        etag: ETAG,
        modifiedAt: MODIFIED,
        headers: { 'Cache-Control': 'no-cache' },
        async read(from, length) {
          const bytes = Buffer.from(TEXT.slice(from, from + length))
          return as === 'bytes' ? bytes : ReadableStream.from([...bytes].map((one) => Buffer.of(one)))
        },
      }),
  })
  const server = await start([action])
  const ask = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await server.ask('/abc', { method, headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { ...server, ask }
}

test('all bytes are answered with their length, their tag, their date, and that parts can be asked for', async () => {
  for (const as of ['bytes', 'stream'] as const) {
    const { url } = await alphabet(as)
    const response = await fetch(`${url()}/abc`)
    expect([response.status, await response.text()]).toEqual([200, TEXT])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': '26',
      'content-type': 'text/plain',
      'accept-ranges': 'bytes',
      'last-modified': DATE,
      'cache-control': 'no-cache',
      etag: ETAG,
    })
  }
})

test.each([
  ['bytes=0-0', 'a', '0-0'],
  ['bytes=2-4', 'cde', '2-4'],
  ['bytes=24-', 'yz', '24-25'],
  ['bytes=-3', 'xyz', '23-25'],
  ['bytes=-999', TEXT, '0-25'],
  ['bytes=20-999999999999999999999', 'uvwxyz', '20-25'],
  ['BYTES=1-1', 'b', '1-1'],
])('the range %s is a part', async (range, text, place) => {
  for (const as of ['bytes', 'stream'] as const) {
    const { ask } = await alphabet(as)
    const answer = await ask({ range })
    expect([answer.status, answer.text]).toEqual([206, text])
    expect(answer.headers.get('content-range')).toBe(`bytes ${place}/26`)
    expect(answer.headers.get('etag')).toBe(ETAG)
  }
})

test.each(['bytes=0-1,3-4', 'lines=0-1', 'bytes=4-2', 'bytes', 'bytes=a-b', 'bytes=-', 'bytes=1.5-2', ''])(
  'the range %j is passed over',
  async (range) => {
    const { ask } = await alphabet()
    expect(await ask({ range })).toMatchObject({ status: 200, text: TEXT })
  },
)

test.each(['bytes=26-', 'bytes=26-30', 'bytes=-0', 'bytes=99999999999999999999-'])(
  'the range %s is behind the end',
  async (range) => {
    const { ask } = await alphabet()
    const { status, headers, text } = await ask({ range })
    expect([status, JSON.parse(text).error_code]).toEqual([416, 'RANGE_NOT_SATISFIABLE'])
    expect(headers.get('content-range')).toBe('bytes */26')
  },
)

test.each([
  [{ 'if-none-match': ETAG }, 304],
  [{ 'if-none-match': `"other", W/${ETAG}` }, 304],
  [{ 'if-none-match': '*' }, 304],
  [{ 'if-none-match': '"other"' }, 200],
  [{ 'if-modified-since': DATE }, 304],
  [{ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 200],
  [{ 'if-modified-since': 'yesterday' }, 200],
  [{ 'if-none-match': '"other"', 'if-modified-since': DATE }, 200],
  [{ 'if-none-match': ETAG, range: 'bytes=0-1' }, 304],
  [{ 'if-range': ETAG, range: 'bytes=0-1' }, 206],
  [{ 'if-range': `W/${ETAG}`, range: 'bytes=0-1' }, 200],
  [{ 'if-range': '"other"', range: 'bytes=0-1' }, 200],
  [{ 'if-range': '"other"', range: 'bytes=99-' }, 200],
  [{ 'if-range': DATE, range: 'bytes=0-1' }, 206],
  [{ 'if-range': 'Fri, 02 Jan 2026 03:04:06 GMT', range: 'bytes=0-1' }, 200],
])('%j is %i', async (headers, status) => {
  const { ask } = await alphabet()
  const answer = await ask(headers)
  expect(answer.status).toBe(status)
  expect(answer.headers.get('etag')).toBe(ETAG)
  if (status === 304) expect([answer.text, answer.headers.get('cache-control')]).toEqual(['', 'no-cache'])
})

test('HEAD answers the headers of the whole', async () => {
  for (const as of ['bytes', 'stream'] as const) {
    const { url } = await alphabet(as)
    const response = await fetch(`${url()}/abc`, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.get('content-length')).toBe('26')
    expect(response.headers.get('etag')).toBe(ETAG)
  }
})

/** An action that answers a stream, and says how long it is. */
const streaming = (length: number, body: () => ReadableStream<Uint8Array>) =>
  defineAction({
    name: 'stream',
    access: ['*'],
    routes: ['GET /stream'],
    handle: (_, call) =>
      represent(call, {
        type: 'text/plain',
        size: length,
        etag: ETAG,
        modifiedAt: 0,
        read: async () => body(),
      }),
  })

test.each([3, 9])('a stream of five bytes that was to have %i cuts the connection', async (length) => {
  const { url, logged } = await start([
    streaming(length, () => ReadableStream.from([Buffer.from('12'), Buffer.from('345')])),
  ])
  await expect(fetch(`${url()}/stream`).then((response) => response.text())).rejects.toThrow()
  expect(logged.map(({ event }) => event)).toContain('rest.stream_failed')
})

test('a client that goes ends what is read for it, and one that waits has no more read than it takes', async () => {
  let read = 0
  let isOver = false
  const chunk = Buffer.alloc(64 * 1024)
  const many = 10_000
  const body = () =>
    new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          read += 1
          controller.enqueue(chunk)
        },
        cancel() {
          isOver = true
        },
      },
      { highWaterMark: 0 },
    )
  const { url } = await start([streaming(many * chunk.length, body)])
  const asking = get(`${url()}/stream`)
  const [response] = await once(asking, 'response')
  await expect.poll(() => read).toBeGreaterThan(0)
  let before = -1
  await expect.poll(() => before === (before = read), { interval: 100 }).toBe(true)
  expect(read).toBeLessThan(many / 10)
  response.destroy()
  await expect.poll(() => isOver).toBe(true)
})
