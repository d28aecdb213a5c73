import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createAsset, IMMUTABLE } from './asset.ts'
import { open, start } from './fixtures/start.ts'

const TEXT = 'body { color: black }\n'.repeat(100)

async function serve() {
  const asset = createAsset('text/css; charset=utf-8', TEXT)
  const { ask } = await start([
    open('style', 'GET /style.css', (_, call) => asset.answer(call)),
    open('versioned', `GET /${asset.hash}/*path`, (_, call) =>
      asset.answer(call, { 'Cache-Control': IMMUTABLE }),
    ),
  ])
  return { asset, get: (headers: Record<string, string> = {}, path = '/style.css') => ask(path, { headers }) }
}

test('an asset is answered as it is, and small to who takes that', async () => {
  const { get } = await serve()
  const plain = await get()
  expect([plain.status, plain.headers.get('content-type'), await plain.text()]).toEqual([
    200,
    'text/css; charset=utf-8',
    TEXT,
  ])
  expect([plain.headers.get('vary'), plain.headers.get('cache-control')]).toEqual([
    'Accept-Encoding',
    'no-cache',
  ])
  const coded = await get({ 'accept-encoding': 'br, gzip;q=0.5' })
  const bytes = Buffer.from(await coded.arrayBuffer())
  expect([coded.headers.get('content-encoding'), gunzipSync(bytes).toString()]).toEqual(['gzip', TEXT])
  expect(bytes.length).toBeLessThan(TEXT.length / 4)
  expect((await get({ 'accept-encoding': 'gzip;q=0' })).headers.get('content-encoding')).toBeNull()
})

test('who has it is told so, for each of its forms', async () => {
  const { get } = await serve()
  for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
    const tag = (await get(headers)).headers.get('etag') ?? ''
    const again = await get({ ...headers, 'if-none-match': `"other", W/${tag}` })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, ''])
  }
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
})

test('an address that changes with the content may be kept for good', async () => {
  const { asset, get } = await serve()
  const { status, headers } = await get({}, `/${asset.hash}/style.css`)
  expect([status, headers.get('cache-control')]).toEqual([200, IMMUTABLE])
})
