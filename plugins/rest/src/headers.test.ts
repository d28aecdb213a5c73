import { expect, test } from 'vitest'
import { createKernel, Reply } from '@svc/kernel'
import { echo, open, start } from './fixtures/start.ts'
import { rest } from './index.ts'

const actions = [echo('get', 'GET /x'), echo('make', 'POST /x')]
const from = (origin: string, method = 'GET') => ({ method, headers: { origin } })

test('every answer is named and guarded, whatever it is', async () => {
  const { ask } = await start(actions, { security: { x_frame_options: 'SAMEORIGIN', hsts_max_age: 60 } })
  const broken = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }
  for (const answer of [ask('/x'), ask('/no'), ask('/x', broken), ask('/x', { method: 'OPTIONS' })]) {
    const { headers } = await answer
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('strict-transport-security'), 'plain HTTP').toBeNull()
    expect(headers.get('server')).toBeNull()
    expect(headers.get('x-powered-by')).toBeNull()
  }
})

test('a fit request id of the client is kept, any other is replaced', async () => {
  const { ask } = await start(actions)
  const named = async (id: string) =>
    (await ask('/x', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
  expect(await named('a.B_9-')).toBe('a.B_9-')
  expect(await named('a'.repeat(128))).toBe('a'.repeat(128))
  for (const bad of ['a'.repeat(129), 'a b', 'a;b', 'é']) expect(await named(bad)).not.toBe(bad)
})

test('any path answers a preflight', async () => {
  const { ask } = await start(actions)
  const response = await ask('/no/such/path', from('https://a.example', 'OPTIONS'))
  expect(response.status).toBe(204)
  expect(await response.text()).toBe('')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
  expect(response.headers.get('access-control-allow-headers')).toContain('Idempotency-Key')
  expect(response.headers.get('access-control-max-age')).toBe('600')
})

test('a single origin is named to everybody', async () => {
  const { ask } = await start(actions, { cors: { origins: 'https://a.example' } })
  for (const request of [from('https://b.example'), {}]) {
    const { headers } = await ask('/x', request)
    expect(headers.get('access-control-allow-origin')).toBe('https://a.example')
    const exposed = headers.get('access-control-expose-headers')
    if ('headers' in request) expect(exposed).toContain('ETag')
    else expect(exposed, 'no page asks').toBeNull()
  }
})

test('of several origins the own one is named, and caches are told', async () => {
  const { ask } = await start(
    [...actions, open('v', 'GET /v', () => new Reply({ data: 1, headers: { Vary: 'Accept-Language' } }))],
    { cors: { origins: ['https://a.example', 'https://b.example'] } },
  )
  const listed = await ask('/x', from('https://b.example'))
  expect(listed.headers.get('access-control-allow-origin')).toBe('https://b.example')
  expect(listed.headers.get('vary')).toBe('Origin')
  const stranger = await ask('/x', from('https://c.example', 'OPTIONS'))
  expect(stranger.status).toBe(204)
  expect(stranger.headers.get('access-control-allow-origin')).toBeNull()
  expect(stranger.headers.get('vary')).toBe('Origin, Access-Control-Request-Headers')
  expect((await ask('/v')).headers.get('vary')).toBe('Origin, Accept-Language')
})

test('answers with other headers do not mix, and their names may be in any case', async () => {
  const reply = (headers: Record<string, string>) => () => new Reply({ data: 1, headers })
  const { ask } = await start([
    open('one', 'GET /one', reply({ Vary: 'Accept-Language', 'X-One': '1' })),
    open('two', 'GET /two', reply({ 'x-one': '2', etag: '"2"' })),
    ...actions,
  ])
  for (let round = 0; round < 3; round += 1) {
    const [one, two, plain] = [
      (await ask('/one')).headers,
      (await ask('/two')).headers,
      (await ask('/x')).headers,
    ]
    expect([one.get('vary'), one.get('x-one'), one.get('etag')]).toEqual(['Accept-Language', '1', null])
    expect([two.get('vary'), two.get('x-one'), two.get('etag')]).toEqual([null, '2', '"2"'])
    expect([plain.get('vary'), plain.get('x-one'), plain.get('etag')]).toEqual([null, null, null])
  }
})

test("an action's header replaces the standing one in any case of letters", async () => {
  const reply = () => new Reply({ data: 1, headers: { 'X-Frame-Options': 'SAMEORIGIN', ETag: '"1"' } })
  const { ask } = await start([open('framed', 'GET /framed', reply)])
  const { headers } = await ask('/framed')
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
  expect(headers.get('etag')).toBe('"1"')
})

const body = () => ReadableStream.from([Buffer.from('secret')])
const content = (more: object) => ({ content: { type: 'text/plain', body: 'secret', ...more } })
const locked = body()
locked.getReader()

test.each<object>([
  { status: 200, headers: { location: '/a\r\nset-cookie: b=secret' } },
  { status: 700, headers: { a: 'secret' } },
  { headers: { 'X-N': undefined } },
  { headers: { 'X-N': ['secret'] } },
  { headers: { 'X-N': '☃' } },
  ...['Connection', 'Trailer', 'Transfer-Encoding', 'Upgrade'].map((name) => ({
    headers: { [name]: 'secret' },
  })),
  content({ type: 'text/plain\r\nX: secret' }),
  content({ type: 'text/☃' }),
  content({ type: 5 }),
  content({ body: 5 }),
  content({ body: null }),
  content({ body: { a: 'secret' } }),
  content({ body: locked }),
  content({ body: body(), length: '6' }),
  content({ body: body(), length: -6 }),
  content({ body: body(), length: 5.5 }),
])('an answer that HTTP has no room for is 500, and leaks nothing: %j', async (reply) => {
  const { url, logged } = await start([open('odd', 'GET /odd', () => new Reply({ data: 1, ...reply }))])
  const response = await fetch(`${url()}/odd`, { signal: AbortSignal.timeout(2000) })
  expect(response.status).toBe(500)
  const text = await response.text()
  expect(text).toContain('INTERNAL_ERROR')
  expect(text).toContain(response.headers.get('x-request-id'))
  expect(text).not.toContain('secret')
  expect(logged.map(({ event }) => event)).toContain('rest.request_failed')
})

test.each([
  [{ prot: 1 }, "did you mean 'port'"],
  [{ port: 65_536 }, 'rest.port'],
  [{ cors: { origins: ['https://a.example/'] } }, 'is no origin'],
  [{ trusted_proxies: ['10.0.0.0/99'] }, 'neither an address nor a range'],
  [{ tls: { cert_file: 'a', key_file: 'b', redirect_http: true } }, 'must differ'],
])('the configuration %j is refused', (config, message) => {
  expect(() => createKernel({ plugins: [rest], config: { rest: config } })).toThrow(message)
})
