import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errors, Reply } from '@svc/kernel'
import { Hono } from 'hono'
import { basicAuth } from 'hono/basic-auth'
import { HTTPException } from 'hono/http-exception'
import { stream } from 'hono/streaming'
import { expect, test } from 'vitest'
import type { HttpEnv } from './contract.ts'
import { echo, open, start } from './fixtures/start.ts'

const json = (body: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
})
const dataOf = async (response: Response) => ((await response.json()) as { data: unknown }).data

test("a plugin's route answers over a socket and inside the process, and has what every answer has", async () => {
  const { ask, url, use } = await start([], { cors: { origins: ['https://a.example', 'https://b.example'] } })
  use(
    new Hono<HttpEnv>().get('/hello/:name', (c) => c.json({ name: c.req.param('name'), from: c.env.remote })),
  )
  const inside = await ask('/hello/%C3%A9%2F%40', {
    headers: { origin: 'https://a.example', 'x-request-id': 'mine' },
  })
  expect(await inside.json()).toEqual({ name: 'é/@', from: '127.0.0.1' })
  const outside = await fetch(`${url()}/hello/ann`, {
    headers: { origin: 'https://a.example', 'x-request-id': 'mine' },
  })
  expect(await outside.json()).toEqual({ name: 'ann', from: '127.0.0.1' })
  for (const { headers } of [inside, outside]) {
    expect(headers.get('x-request-id')).toBe('mine')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('access-control-allow-origin')).toBe('https://a.example')
    expect(headers.get('vary')).toBe('Origin')
  }
  expect((await ask('/hello/a/b')).status).toBe(404)
})

test('HEAD and a preflight are answered at the routes of plugins too', async () => {
  const { ask, use } = await start([])
  use(new Hono<HttpEnv>().get('/hello', (c) => c.text('hello')))
  const head = await ask('/hello', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect((await ask('/hello', { method: 'OPTIONS' })).status).toBe(204)
})

test('middleware stands before the actions: it may answer in their place, and change what they answer', async () => {
  const { ask, url, use } = await start([echo('get', 'GET /api/x'), open('away', 'GET /away', () => 'away')])
  const guard = new Hono<HttpEnv>()
  guard.use('/api/*', basicAuth({ username: 'ann', password: 'secret' }))
  guard.use('/api/*', async (c, next) => {
    await next()
    c.header('X-Seen', c.env.requestId)
  })
  use(guard)
  expect((await ask('/api/x')).status).toBe(401)
  expect((await ask('/%61pi/x')).status).toBe(401)
  expect(await dataOf(await ask('/away'))).toBe('away')
  const headers = { authorization: `Basic ${btoa('ann:secret')}`, 'x-request-id': 'mine' }
  for (const response of [
    await ask('/api/x?a=1', { headers }),
    await fetch(`${url()}/api/x?a=1`, { headers }),
  ]) {
    expect(response.headers.get('x-seen')).toBe('mine')
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(await dataOf(response)).toEqual({ a: '1' })
  }
})

test('an action reads the body that middleware has read before it, and the headers that it wrote', async () => {
  const seen: unknown[] = []
  const { ask, url, use } = await start([
    open('make', 'POST /x', (input, call) => ({ input, by: call.request?.meta('x-by') })),
  ])
  const app = new Hono<HttpEnv>().use('/x', async (c, next) => {
    seen.push(await c.req.json())
    c.req.raw.headers.set('x-by', 'ann')
    await next()
  })
  const off = use(app)
  const wanted = { input: { a: 1 }, by: 'ann' }
  expect(await dataOf(await ask('/x', json('{"a":1}')))).toEqual(wanted)
  expect(await dataOf(await fetch(`${url()}/x`, json('{"a":1}')))).toEqual(wanted)
  expect(seen).toEqual([{ a: 1 }, { a: 1 }])
  off()
  expect(await dataOf(await fetch(`${url()}/x`, json('{"a":1}')))).toEqual({ input: { a: 1 } })
  expect(seen).toHaveLength(2)
})

test('the body of an action keeps its limit behind middleware, and a route of a plugin has the same', async () => {
  const { url, use } = await start([echo('make', 'POST /x')], { body_limit_bytes: 100 })
  const app = new Hono<HttpEnv>().use(async (_, next) => next())
  app.post('/own', async (c) => c.text(await c.req.text()))
  use(app)
  const long = json(JSON.stringify('a'.repeat(99)))
  for (const path of ['/x', '/own']) {
    const response = await fetch(`${url()}${path}`, long)
    expect([response.status, ((await response.json()) as { error_code: string }).error_code], path).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ])
  }
  expect(await (await fetch(`${url()}/own`, json('"a"'))).text()).toBe('"a"')
})

test('what plugins hung on the server survives a change of the actions, until it is taken off', async () => {
  const { ask, kernel, use } = await start([])
  const off = use(new Hono<HttpEnv>().get('/own', (c) => c.text('own')))
  const unmount = kernel.actions.mount('svc.', [echo('svc.a', 'GET /a')])
  expect((await ask('/a')).status).toBe(200)
  unmount()
  expect((await ask('/a')).status).toBe(404)
  expect(await (await ask('/own')).text()).toBe('own')
  off()
  expect((await ask('/own')).status).toBe(404)
})

test("a plugin's route goes before an action of the same address, and the log says so once", async () => {
  const { ask, logged, use } = await start([echo('get', 'GET /x/:id'), echo('make', 'POST /x')])
  const off = use(
    new Hono<HttpEnv>().get('/x/:key', (c) => c.text('own')).use('/x', async (_, next) => next()),
  )
  expect(await (await ask('/x/1')).text()).toBe('own')
  expect((await ask('/x', json('{}'))).status).toBe(200)
  expect(logged.filter(({ event }) => event === 'rest.route_taken')).toEqual([
    { event: 'rest.route_taken', fields: { route: 'GET /x/:id', action: 'get' } },
  ])
  off()
  expect(await dataOf(await ask('/x/1'))).toEqual({ id: '1' })
})

test('what a plugin throws is answered in the envelope, and says nothing that was not meant to be said', async () => {
  const { ask, logged, use } = await start([])
  const app = new Hono<HttpEnv>()
  app.get('/known', () => {
    throw errors.CONFLICT({ message: 'Taken' })
  })
  app.get('/http', () => {
    throw new HTTPException(418, { message: 'teapot' })
  })
  app.get('/unknown', () => {
    throw new Error('secret')
  })
  use(app)
  expect(await (await ask('/known')).json()).toMatchObject({ error_code: 'CONFLICT', error_message: 'Taken' })
  const http = await ask('/http')
  expect([http.status, await http.text(), http.headers.get('x-request-id')]).toEqual([
    418,
    'teapot',
    expect.any(String),
  ])
  const unknown = await ask('/unknown')
  expect(unknown.status).toBe(500)
  expect(await unknown.text()).not.toContain('secret')
  expect(logged.map(({ event }) => event)).toContain('rest.request_failed')
})

test("Hono's own streaming reaches the client", async () => {
  const { url, use } = await start([open('get', 'GET /x', () => new Reply({ data: 1 }))])
  const app = new Hono<HttpEnv>().get('/rows', (c) =>
    stream(c, async (out) => {
      for (let row = 0; row < 100; row += 1) await out.write(`${row}\n`)
    }),
  )
  use(app)
  const response = await fetch(`${url()}/rows`)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await response.text()).trimEnd().split('\n')).toHaveLength(100)
})

const failing = (...parts: readonly string[]) =>
  ReadableStream.from(
    (async function* () {
      for (const part of parts) yield new TextEncoder().encode(part)
      throw new Error('password=secret')
    })(),
  )

test.each([[[]], [['a']], [['a'.repeat(70_000), 'b'.repeat(70_000)]]])(
  'a stream of a plugin that breaks off ends its connection, and is logged; nobody is told why',
  async (parts) => {
    const { logged, use, wire } = await start([open('get', 'GET /x', () => new Reply({ data: 1 }))])
    const app = new Hono<HttpEnv>().get('/own', () => new Response(failing(...parts)))
    app.use('/x', async (c, next) => {
      await next()
      c.res = new Response(failing(...parts), c.res)
    })
    use(app)
    for (const path of ['/own', '/x']) {
      logged.length = 0
      const text = await wire(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n`)
      expect(text, path).not.toContain('secret')
      expect(text, path).not.toMatch(/\r\n0\r\n\r\n$/)
      expect(logged).toContainEqual({
        event: 'rest.stream_failed',
        fields: { err: new Error('password=secret'), requestId: 'mine' },
      })
    }
  },
)

test("a plugin's text leaves with its length; a header that HTTP has no room for is 500", async () => {
  const { url, use } = await start([])
  const app = new Hono<HttpEnv>()
  app.get('/text', (c) => c.text('hello'))
  app.get('/trailer', (c) => c.text('hello', 200, { Trailer: 'x' }))
  app.get('/odd', (c) => c.text('hello', 200, { 'X-Odd': '\u0001' }))
  use(app)
  for (const path of ['/text', '/trailer']) {
    const response = await fetch(`${url()}${path}`)
    expect([response.headers.get('content-length'), await response.text()], path).toEqual(['5', 'hello'])
  }
  const odd = await fetch(`${url()}/odd`, { headers: { 'x-request-id': 'mine' } })
  expect([odd.status, odd.headers.get('x-request-id')]).toEqual([500, 'mine'])
  expect(await odd.json()).toMatchObject({ error_code: 'INTERNAL_ERROR' })
})

test('a plugin with a copy of Hono of its own is served alike, and so are its errors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hono-'))
  try {
    const entry = fileURLToPath(import.meta.resolve('hono'))
    const filter = (path: string) => !/\.d\.ts$|\/cjs$/.test(path)
    cpSync(join(dirname(entry), '..'), folder, { recursive: true, dereference: true, filter })
    const copy = (await import(join(folder, 'dist/index.js'))) as { Hono: typeof Hono }
    expect(copy.Hono).not.toBe(Hono)
    const { ask, use } = await start([])
    const clash = () => {
      throw errors.CONFLICT({ message: 'It is a teapot' })
    }
    class Extended extends copy.Hono {
      constructor(path: string) {
        super()
        this.get(path.toLowerCase(), clash)
      }
    }
    use(new copy.Hono().get('/plain', clash).route('/inside', new copy.Hono().get('/it', clash)))
    use(new Extended('/EXTENDED'))
    use(new copy.Hono().get('/own', clash).onError((_, c) => c.text('own', 418)))
    for (const path of ['/plain', '/inside/it', '/extended']) {
      const response = await ask(path)
      expect([response.status, await response.json()]).toEqual([
        409,
        expect.objectContaining({ error_code: 'CONFLICT', error_message: 'It is a teapot' }),
      ])
    }
    const own = await ask('/own')
    expect([own.status, await own.text()]).toEqual([418, 'own'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
