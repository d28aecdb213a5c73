import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { HttpServerCapability } from '@svc/rest/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

// Whoever sends to this server, and whoever answers it, may mean it ill.

const SECRET = 'what-the-bank-and-we-know'
const MEBIBYTE = 1024 ** 2
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
/** A hundred mebibytes of nothing, packed. */
const BOMB = gzipSync(Buffer.alloc(100 * MEBIBYTE))

/** What remotes do that mean it ill, by their paths. */
const REMOTES: Readonly<Record<string, (socket: Socket) => void>> = {
  // As much as anybody reads.
  '/endless': (socket) => {
    socket.write(`${ANSWER}content-length: ${1024 ** 3}\r\n\r\n`)
    const chunk = Buffer.alloc(65_536, 120)
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', more)
    more()
  },
  '/bomb': (socket) => {
    socket.write(`${ANSWER}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`)
    socket.end(BOMB)
  },
  '/drip': (socket) => {
    socket.write(`${ANSWER}content-length: 1000\r\n\r\n`)
    const timer = setInterval(() => void socket.write('x'), 100)
    socket.on('close', () => clearInterval(timer))
  },
  '/open': (socket) => void socket.write(`${ANSWER}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`),
  '/headers': (socket) => {
    const many = Array.from({ length: 300 }, (_, at) => `x-${at}: ${'y'.repeat(100)}`).join('\r\n')
    socket.end(`${ANSWER}${many}\r\ncontent-length: 2\r\n\r\n{}`)
  },
  '/hints': (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(500)));
    }
    socket.on('drain', more)
    more()
  },
  '/lengths': (socket) => socket.end(`${ANSWER}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`),
  '/smuggled': (socket) =>
    socket.end(
      `${ANSWER}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`,
    ),
  '/nul': (socket) => socket.end(`${ANSWER}x-a: b\0c\r\ncontent-length: 2\r\n\r\n{}`),
  '/deep': (socket) => {
    const body = `${'['.repeat(5000)}${']'.repeat(5000)}`
    socket.end(`${ANSWER}content-length: ${body.length}\r\n\r\n${body}`)
  },
}
/** What each comes to. */
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  '/endless': ['UPSTREAM_FAILED'],
  '/bomb': ['UPSTREAM_FAILED'],
  '/drip': ['UPSTREAM_TIMEOUT'],
  '/open': ['UPSTREAM_TIMEOUT'],
  '/headers': ['UPSTREAM_FAILED'],
  '/hints': ['UPSTREAM_TIMEOUT', 'UPSTREAM_FAILED'],
  '/lengths': ['UPSTREAM_FAILED'],
  '/smuggled': ['UPSTREAM_FAILED'],
  '/nul': ['UPSTREAM_FAILED'],
}

for (const store of STORES) {
  describe(`what means it ill on ${store.name}`, () => {
    let server: TestKernel
    let origin: URL
    let base = ''
    const remote = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', (chunk: Buffer) => {
        const [, path = ''] = /^\w+ (\S+) /.exec(chunk.toString()) ?? []
        REMOTES[path]?.(socket)
      })
    })
    beforeAll(async () => {
      process.env['SVC_DOMAIN_HOSTILE'] = SECRET
      remote.listen(0, '127.0.0.1')
      await once(remote, 'listening')
      base = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`
      server = await startTestKernel({
        store,
        config: {
          jobs: { enabled: false },
          outbound: { allow_private: ['127.0.0.1'] },
          auth: {
            jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 100 * 86_400 },
          },
        },
      })
      origin = new URL(server.kernel.get(HttpServerCapability).url())
      const signature = { secret: '${SVC_DOMAIN_HOSTILE}', prefix: 'sha256=' }
      const write = { resource: 'Order', action: 'create', mapping: { number: '$payload.number' } }
      const operations = Object.fromEntries(
        Object.keys(REMOTES).map((path) => [path.slice(1), { path, timeout: '1500ms' }]),
      )
      await server.submit(
        JSON.stringify({
          domain: {
            name: 'shop',
            version: '1.0.0',
            resources: { Order: { object: { number: 'string' }, permissions: { list: ['*'] } } },
            integrations: {
              bank: { type: 'webhook', signature, write },
              clocked: {
                type: 'webhook',
                signature: { ...signature, content: '{timestamp}.{body}', timestampHeader: 'X-Time' },
                replayProtection: { timestampHeader: 'X-Time' },
                write,
              },
              far: { type: 'rest', baseUrl: base, operations },
            },
          },
        }),
      )
    }, 60_000)
    afterAll(async () => {
      await server?.stop()
      remote.close()
      delete process.env['SVC_DOMAIN_HOSTILE']
    })
    const digest = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex')
    const post = (to: string, body: string, headers: Record<string, string>) =>
      server.request('POST', `/api/v1/shop/webhooks/${to}`, {
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
    const orders = async (number: string) =>
      (await server.request('GET', `/api/v1/shop/orders?filter[number]=${encodeURIComponent(number)}`)).body
        .data.items
    const look = (path: string) => server.request('GET', path, { token: server.admin })

    it('[7.1] [7.2] a signature that is nearly right is answered like none at all', async () => {
      const body = '{"number":"near"}'
      const right = digest(body)
      const near: readonly (readonly [string, string])[] = [
        ['{"number": "near"}', `sha256=${right}`],
        ['{"number":"near"}\n', `sha256=${right}`],
        ['\uFEFF{"number":"near"}', `sha256=${right}`],
        ['{"number":"\\u006eear"}', `sha256=${right}`],
        [body, `sha256=${right.toUpperCase()}`],
        [body, `sha256=${right.slice(0, -1)}`],
        [body, `sha256=${right.slice(0, 8)}`],
        [body, `sha256=${right}0`],
        [body, `sha256=${right}${right}`],
        [body, `sha256= ${right}`],
        [body, `SHA256=${right}`],
        [body, `sha1=${right}`],
        [body, right],
        [body, `sha256=${right},sha256=${right}`],
        [body, `sha256=${Buffer.from(right, 'hex').toString('base64')}`],
        [body, 'sha256='],
        [body, '='],
        [body, 'sha256=undefined'],
        [body, `sha256=${'0'.repeat(64)}`],
        [body, `sha256=${digest('')}`],
      ]
      const none = await post('bank', body, {})
      expect([none.status, none.body.error_code]).toEqual([401, 'SIGNATURE_INVALID'])
      for (const [text, signature] of near) {
        const answered = await post('bank', text, { 'x-signature': signature })
        expect([signature, answered.status, answered.body]).toEqual([signature, 401, none.body])
      }
      expect(await orders('near')).toEqual([])
      expect((await post('bank', body, { 'x-signature': `sha256=${right}` })).status).toBe(200)
    })

    it('[7.3] only whole seconds since 1970 and RFC 3339 are a time, near enough', async () => {
      const now = server.clock.now()
      const seconds = Math.floor(now / 1000)
      const send = (at: string) => {
        const body = JSON.stringify({ number: `at ${at}` })
        const signature = `sha256=${digest(`${at}.${body}`)}`
        return post('clocked', body, { 'x-time': at, 'x-signature': signature })
      }
      const wrong = [
        String(now),
        `${seconds}.5`,
        `${seconds}e0`,
        `+${seconds}`,
        ` ${seconds} `.trim() + ' x',
        `0x${seconds.toString(16)}`,
        `-${seconds}`,
        '0',
        '',
        'now',
        'NaN',
        '9'.repeat(400),
        String(seconds - 301),
        String(seconds + 301),
        new Date(now).toUTCString(),
        new Date(now).toISOString().slice(0, 19),
        new Date(now + 600_000).toISOString(),
      ]
      for (const at of wrong) {
        const { status, body } = await send(at)
        expect([at, status, body.error_code]).toEqual([at, 401, 'SIGNATURE_INVALID'])
      }
      for (const at of [String(seconds), String(seconds - 299), new Date(now + 1000).toISOString()])
        expect([at, (await send(at)).status]).toEqual([at, 200])
      const body = '{"number":"unclocked"}'
      expect((await post('clocked', body, { 'x-signature': `sha256=${digest(`.${body}`)}` })).status).toBe(
        401,
      )
    })

    it('[7.1] a body of a mebibyte is taken, and one byte more, depth 65 and forbidden keys are not', async () => {
      const send = (body: string) => post('bank', body, { 'x-signature': `sha256=${digest(body)}` })
      const framed = (size: number) => {
        const [before, after] = ['{"number":"large","x":"', '"}']
        return before + 'x'.repeat(size - before.length - after.length) + after
      }
      const nested = (depth: number) =>
        `{"number":"deep","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
      expect((await send(framed(MEBIBYTE))).status).toBe(200)
      expect((await send(framed(MEBIBYTE + 1))).status).toBe(413)
      expect((await send(nested(64))).status).toBe(200)
      expect((await send(nested(65))).status).toBe(422)
      for (const key of ['__proto__', 'constructor', 'prototype']) {
        const { status } = await send(`{"number":"polluted","x":{"${key}":{"polluted":true}}}`)
        expect([key, [400, 422].includes(status)]).toEqual([key, true])
      }
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
      for (const body of ['{"number":"a","number":', '{"number":"\ud800"}', 'null', '[]', '"x"', '1e400', ''])
        expect([body, (await send(body)).status < 500]).toEqual([body, true])
    })

    it('[7.1] in chunks it is bounded all the same, and what is broken off leaves nothing', async () => {
      const raw = (text: string, body: readonly Buffer[], cut = false): Promise<string> =>
        new Promise((resolve) => {
          const socket = connect(Number(origin.port), origin.hostname)
          let said = ''
          socket.on('data', (chunk: Buffer) => {
            said += chunk.toString()
            if (said.includes('\r\n\r\n')) socket.end()
          })
          socket.on('error', () => undefined)
          socket.on('close', () => resolve(said))
          socket.write(
            `POST /api/v1/shop/webhooks/bank HTTP/1.1\r\nhost: ${origin.host}\r\ncontent-type: application/json\r\n${text}\r\n`,
          )
          for (const one of body) socket.write(one)
          if (cut) setTimeout(() => socket.destroy(), 100)
        })
      const chunk = (bytes: Buffer) =>
        Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
      const END = Buffer.from('0\r\n\r\n')
      const message = Buffer.from('{"number":"in chunks"}')
      const signature = `x-signature: sha256=${digest(message.toString())}\r\n`
      const parts = [...message].map((byte) => chunk(Buffer.from([byte])))
      const taken = await raw(`transfer-encoding: chunked\r\n${signature}`, [...parts, END])
      expect(taken).toMatch(/^HTTP\/1\.1 200 /)
      const large = Array.from({ length: 40 }, () => chunk(Buffer.alloc(65_536, 120)))
      expect(await raw(`transfer-encoding: chunked\r\n${signature}`, [...large, END])).toMatch(
        /^HTTP\/1\.1 413 |^$/,
      )
      const half = message.subarray(0, 10)
      expect(await raw(`content-length: ${message.length}\r\n${signature}`, [half], true)).toBe('')
      expect(await raw(`content-length: 3\r\ntransfer-encoding: chunked\r\n${signature}`, [END])).not.toMatch(
        / 200 /,
      )
      await vi.waitFor(async () => expect(await orders('in chunks')).toHaveLength(1))
    })

    it('[2.6] remotes without an end, without a stop and without shame are left, and take no memory with them', async () => {
      const path = '/api/v1/shop/integrations/far/operations'
      globalThis.gc?.()
      const before = process.memoryUsage().rss
      for (const [name, codes] of Object.entries(OUTCOMES)) {
        const began = performance.now()
        const { status, body } = await server.request('POST', `${path}${name}`, {
          token: server.admin,
          body: {},
        })
        expect([name, status >= 502 && codes.includes(body.error_code)]).toEqual([name, true])
        expect(performance.now() - began, name).toBeLessThan(5000)
      }
      expect(process.memoryUsage().rss - before).toBeLessThan(120 * MEBIBYTE)
      // What is no JSON as this house reads it is a text, and what is too deep for it breaks nothing.
      const { status } = await server.request('POST', `${path}/deep`, { token: server.admin, body: {} })
      expect([200, 502]).toContain(status)
    }, 60_000)

    it('[9.4] [9.6] [6.1] ids that are none, or somebody else’s, are told so', async () => {
      const foreign = randomUUID()
      const ids = [
        'x',
        '0',
        foreign,
        foreign.toUpperCase(),
        "' or 1=1 --",
        '%00',
        '..%2f..',
        'x'.repeat(5000),
        '😀',
      ]
      const places = [
        '/api/v1/shop/integrations/far/runs/',
        '/api/v1/shop/integrations/far/log/',
        '/api/v1/shop/integrations/far/deadletter/',
        '/api/v1/admin/webhooks/',
        `/api/v1/admin/webhooks/${foreign}/deliveries/`,
        '/api/v1/shop/integrations/',
      ]
      for (const place of places)
        for (const id of ids) {
          const { status } = await look(
            `${place}${id.startsWith('%') || id.includes('%2f') ? id : encodeURIComponent(id)}`,
          )
          expect([place, id.slice(0, 40), [400, 404, 414].includes(status)]).toEqual([
            place,
            id.slice(0, 40),
            true,
          ])
        }
      for (const method of ['retry', 'discard'])
        for (const id of ids.slice(0, 5)) {
          const at = `/api/v1/shop/integrations/far/deadletter/${encodeURIComponent(id)}/${method}`
          const { status } = await server.request('POST', at, { token: server.admin, body: {} })
          expect([method, id, status]).toEqual([method, id, 404])
        }
      const events = '/api/v1/domains/shop/events'
      for (const id of ['x', "'", '0', `${foreign}x`, '%00'])
        for (const [query, headers] of [
          [`?after=${id.startsWith('%') ? id : encodeURIComponent(id)}`, {}],
          ['', { 'last-event-id': id }],
        ] as const) {
          const asked = { token: server.admin, headers: { accept: 'text/event-stream', ...headers } }
          const { status, body } = await server.request('GET', `${events}${query}`, asked)
          expect([id, status, body.error_code]).toEqual([id, 400, 'INVALID_QUERY'])
        }
    })

    it('[9.7] a thousand streams are open, and the next one is 503 until one ends', async () => {
      const http = server.kernel.get(HttpServerCapability)
      const open = () =>
        http.fetch(
          new Request(new URL('/api/v1/domains/shop/events', origin), {
            headers: { accept: 'text/event-stream', authorization: `Bearer ${server.admin}` },
          }),
        )
      const streams: Response[] = []
      for (let at = 0; at < 1000; at += 50)
        streams.push(...(await Promise.all(Array.from({ length: 50 }, open))))
      expect(streams.filter(({ status }) => status === 200)).toHaveLength(1000)
      const [refused, alike] = [await open(), await open()]
      expect([refused.status, alike.status]).toEqual([503, 503])
      await streams.pop()?.body?.cancel()
      await vi.waitFor(async () => {
        const one = await open()
        if (one.status === 200) streams.push(one)
        expect(one.status).toBe(200)
      })
      await Promise.all(streams.map(async ({ body }) => body?.cancel()))
    }, 60_000)
  })
}
