import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { OutboundError, OutboundRequest } from '@svc/outbound/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { failureOf, get, type Names, startOutbound, startSink } from './world.ts'

const LOCAL = ['127.0.0.1']
const at = (port: number, path = '/') => `http://127.0.0.1:${port}${path}`

/** A server that says byte by byte what it likes. */
async function startRaw(talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => talk(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('a url', () => {
  it.each([
    'ftp://example.org/',
    'file:///etc/passwd',
    'gopher://example.org/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'ws://example.org/',
    'unix:/run/x.sock',
    '//example.org/',
    '/hook',
    'example.org',
    '',
    'https://',
    'https://user@example.org/',
    'https://user:password@example.org/',
    'https://:@example.org/',
    'https://@example.org/',
    'https:\\\\user@example.org/',
    'https://example.org/#part',
    'https://example.org/#',
    ' https://example.org/',
    'https://example.org/\n',
    'https://exam\tple.org/',
    'https://example.org/\u0000',
    'https://exa mple.org/',
    'https://[::1/',
    'https://example.org:99999/',
    'https://1.2.3.256/',
    'https://{host}/',
    'https://$(host)/',
    `https://${'a'.repeat(300)}.example/`,
  ])('C2.5: %j is refused', async (url) => {
    const { judge, request } = await startOutbound()
    expect(judge(url)?.code).toBe('INVALID_URL')
    expect(await failureOf(request(get(url)))).toBe('INVALID_REQUEST')
  })

  it('C2.5: shows no secret where it is refused', async () => {
    const { judge } = await startOutbound()
    for (const url of [
      'https://user:hunter2@example.org/',
      'https://10.0.0.1/?key=hunter2',
      'ftp://x/hunter2#hunter2',
    ])
      expect(JSON.stringify(judge(url))).not.toContain('hunter2')
  })

  it('C2.5: without TLS is for hosts that are named, or for what is not confidential', async () => {
    const { judge } = await startOutbound(['named.example'])
    const terms = { isConfidential: true }
    expect(judge('http://example.org/')).toBeUndefined()
    expect(judge('http://example.org/', terms)?.code).toBe('INVALID_URL')
    expect(judge('http://named.example/', terms)).toBeUndefined()
    expect(judge('http://1.1.1.1/', terms)?.code).toBe('INVALID_URL')
    expect(judge('https://example.org/', terms)).toBeUndefined()
  })

  it('C2.5: without TLS is for what an allowed address stands behind', async () => {
    const sink = await startSink()
    const names: Names = new Map([
      ['inside.example', ['127.0.0.1']],
      ['outside.example', ['1.1.1.1']],
    ])
    const { request, judge } = await startOutbound(LOCAL, names)
    const credentials = { authorization: 'Bearer x' }
    expect(judge('http://outside.example/', { isConfidential: true })).toBeUndefined()
    expect((await request(get(`http://inside.example:${sink.port}/`, { credentials }))).status).toBe(200)
    expect(await failureOf(request(get('http://outside.example/', { credentials })))).toBe('ADDRESS_REFUSED')
  })
})

describe('a request', () => {
  it('C2.1: is sent as it was asked for, and its answer told', async () => {
    const sink = await startSink((_, response) => {
      response.writeHead(201, { 'x-one': ['a', 'b'], 'content-type': 'text/plain' }).end('größe')
    })
    const { request } = await startOutbound(LOCAL)
    const answer = await request(
      get(at(sink.port, '/a%20b?c=d'), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        credentials: { Authorization: 'Bearer x' },
        body: '{"a":1}',
      }),
    )
    expect(answer).toMatchObject({
      status: 201,
      isCut: false,
      headers: { 'x-one': 'a, b', 'content-type': 'text/plain' },
    })
    expect(Buffer.from(answer.body).toString()).toBe('größe')
    const headers = {
      'content-type': 'application/json',
      authorization: 'Bearer x',
      'content-length': '7',
      'user-agent': expect.stringMatching(/^svc\//),
    }
    expect(sink.visits).toMatchObject([{ method: 'POST', url: '/a%20b?c=d', body: '{"a":1}', headers }])
  })

  it('C2.1: goes past the proxies that the environment names', async () => {
    const [proxy, sink] = [await startSink(), await startSink()]
    const names = [
      'HTTP_PROXY',
      'http_proxy',
      'HTTPS_PROXY',
      'https_proxy',
      'ALL_PROXY',
      'NODE_USE_ENV_PROXY',
    ]
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = at(proxy.port)
    onTestFinished(() =>
      names.forEach((name, place) => {
        const value = before[place]
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }),
    )
    const { request } = await startOutbound(LOCAL)
    await request(get(at(sink.port)))
    expect([proxy.visits.length, sink.visits.length]).toEqual([0, 1])
  })

  it.each<[string, Partial<OutboundRequest>]>([
    ['a line break in a header', { headers: { 'x-a': 'b\r\nx-c: d' } }],
    ['NUL in a header', { headers: { 'x-a': 'b\0' } }],
    ['a line break in credentials', { credentials: { 'x-a': 'b\nc' } }],
    ['a line break in the name of a header', { headers: { 'x-a: b\r\nx-c': 'd' } }],
    ['another host', { headers: { Host: 'internal' } }],
    ['a length of its own', { headers: { 'content-length': '0' } }],
    ['chunks of its own', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['a tunnel', { method: 'CONNECT' }],
    ['a method that is none', { method: 'GET / HTTP/1.1\r\nx: y' }],
  ])('C2.6: with %s is not sent', async (_, more) => {
    const sink = await startSink()
    const { request } = await startOutbound(LOCAL)
    expect(await failureOf(request(get(at(sink.port), more)))).toBe('INVALID_REQUEST')
    expect(sink.visits).toEqual([])
  })

  it('C2.6: says whether another try may help, and names the host alone', async () => {
    const { request } = await startOutbound(LOCAL, new Map())
    const error = await request(get('https://gone.example/path?key=hunter2')).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'CONNECTION_FAILED', mayRetry: true, mayHaveArrived: false })
    expect((error as OutboundError).message).toMatch(/gone\.example/)
    expect((error as OutboundError).message).not.toMatch(/hunter2|path/)
    const refused = await request(get('https://10.0.0.1/')).catch((thrown: unknown) => thrown)
    expect(refused).toMatchObject({ code: 'ADDRESS_REFUSED', mayRetry: false, mayHaveArrived: false })
  })

  it('C2.6: ends with its signal, and with the server', async () => {
    const port = await startRaw(() => undefined)
    const { request, stop } = await startOutbound(LOCAL)
    const ending = new AbortController()
    const [one, two] = [request(get(at(port), { signal: ending.signal })), request(get(at(port)))].map(
      failureOf,
    )
    ending.abort()
    expect(await one).toBe('CANCELLED')
    await stop()
    expect(await two).toBe('CANCELLED')
    expect(await failureOf(request(get(at(port))))).toBe('CANCELLED')
    expect(await failureOf(request(get(at(port), { signal: AbortSignal.abort() })))).toBe('CANCELLED')
  })
})

describe('a redirect', () => {
  const leading = (to: string, status = 302) =>
    startSink((request, response) => {
      if (request.url === '/end') response.end('there')
      else response.writeHead(status, { location: to }).end()
    })

  it('C2.5: is an answer like any other unless it is asked for', async () => {
    const sink = await leading('/end')
    const { request } = await startOutbound(LOCAL)
    expect((await request(get(at(sink.port)))).status).toBe(302)
    expect(sink.visits).toHaveLength(1)
  })

  it('C2.5: is followed as often as it is asked for', async () => {
    const sink = await leading('/again')
    const { request } = await startOutbound(LOCAL)
    expect((await request(get(at(sink.port), { redirects: 5 }))).status).toBe(302)
    expect(sink.visits).toHaveLength(6)
    const ending = await leading('/end')
    expect((await request(get(at(ending.port), { redirects: 1 }))).status).toBe(200)
  })

  it.each([
    'http://169.254.169.254/latest',
    'http://[::1]/',
    'http://0x7f.1:1/',
    'http://evil.example/',
    '//10.0.0.1/',
  ])('C2.5: to %s is refused as if it had been asked for', async (to) => {
    const sink = await leading(to)
    const names: Names = new Map([['evil.example', ['10.1.1.1']]])
    const { request } = await startOutbound([`127.0.0.1:${sink.port}`], names)
    expect(await failureOf(request(get(at(sink.port), { redirects: 3 })))).toBe('ADDRESS_REFUSED')
  })

  it.each(['ftp://example.org/', 'http://user@127.0.0.1/', 'file:///etc/passwd'])(
    'C2.5: to %s is refused',
    async (to) => {
      const sink = await leading(to)
      const { request } = await startOutbound(LOCAL)
      expect(await failureOf(request(get(at(sink.port), { redirects: 3 })))).toBe('INVALID_REQUEST')
    },
  )

  it.each([
    [301, 'GET', true],
    [302, 'HEAD', true],
    [303, 'GET', true],
    [303, 'POST', false],
    [301, 'PUT', false],
    [307, 'POST', true],
    [308, 'DELETE', true],
    [304, 'GET', false],
    [300, 'GET', false],
  ])('C2.5: by %i of a %s is followed: %s', async (status, method, isFollowed) => {
    const sink = await leading('/end', status)
    const { request } = await startOutbound(LOCAL)
    const body = method === 'POST' ? { body: 'kept' } : {}
    expect((await request(get(at(sink.port), { method, redirects: 1, ...body }))).status).toBe(
      isFollowed ? 200 : status,
    )
    if (isFollowed) expect(sink.visits[1]).toMatchObject({ method, body: body.body ?? '' })
  })

  it('C2.5: leaves credentials with the first origin', async () => {
    const other = await startSink()
    const sink = await startSink((request, response) => {
      const location = request.url === '/' ? '/second' : at(other.port)
      response.writeHead(302, { location }).end()
    })
    const { request } = await startOutbound(LOCAL)
    const credentials = { 'X-API-Key': 'hunter2', Authorization: 'Bearer hunter2' }
    const headers = { cookie: 'a=hunter2', 'x-trace': '1' }
    await request(get(at(sink.port), { redirects: 3, credentials, headers }))
    expect(sink.visits[1]?.headers).toMatchObject({ 'x-api-key': 'hunter2', authorization: 'Bearer hunter2' })
    expect(other.visits[0]?.headers).toMatchObject({ 'x-trace': '1' })
    expect(JSON.stringify(other.visits)).not.toContain('hunter2')
  })

  it('C2.6: is in the time of its request', async () => {
    const sink = await startSink((_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 100)
    })
    const { request } = await startOutbound(LOCAL)
    expect(await failureOf(request(get(at(sink.port), { redirects: 5, timeoutMs: 250 })))).toBe('TIMEOUT')
  })
})

describe('time', () => {
  const timeoutMs = 150
  it('C2.6: counts from the look-up', async () => {
    const names: Names = new Map([['slow.example', () => new Promise(() => undefined)]])
    const { request } = await startOutbound([], names)
    expect(await failureOf(request(get('https://slow.example/', { timeoutMs })))).toBe('TIMEOUT')
  })

  it.each<[string, (socket: Socket) => void]>([
    ['a server that says nothing', () => undefined],
    ['headers that drip', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-a: ', 'b')],
    ['a body that drips', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n', 'b')],
    ['a body without an end', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'b')],
    [
      'empty chunks',
      (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;x\r\n', ''),
    ],
    ['preliminary answers', (socket) => drip(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('C2.6: ends %s', async (_, talk) => {
    const port = await startRaw(talk)
    const { request } = await startOutbound(LOCAL)
    expect(await failureOf(request(get(at(port), { timeoutMs })))).toBe('TIMEOUT')
  })
})

function drip(socket: Socket, first: string, then: string): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(then), 20)
  socket.on('close', () => clearInterval(timer))
}

describe('an answer', () => {
  const MAX = 1_000
  const answering = async (body: Buffer, headers: Readonly<Record<string, string>> = {}) => {
    const sink = await startSink((_, response) => response.writeHead(200, headers).end(body))
    const { request } = await startOutbound(LOCAL)
    return (more: Partial<OutboundRequest> = {}) =>
      request(get(at(sink.port), { maxBodyBytes: MAX, ...more }))
  }

  it('C2.6: of exactly the most bytes is taken, and one more is not', async () => {
    const exact = await answering(Buffer.alloc(MAX, 'a'))
    expect((await exact()).body).toHaveLength(MAX)
    const longer = await answering(Buffer.alloc(MAX + 1, 'a'))
    expect(await failureOf(longer())).toBe('TOO_LARGE')
    expect(await longer({ excess: 'cut' })).toMatchObject({ status: 200, isCut: true, body: { length: MAX } })
  })

  it('C2.6: without an end is left when it is too long', async () => {
    const sink = await startSink((_, response) => {
      const more = () =>
        void (response.destroyed || (response.write(Buffer.alloc(10_000)), setImmediate(more)))
      more()
    })
    const { request } = await startOutbound(LOCAL)
    expect(await failureOf(request(get(at(sink.port))))).toBe('TOO_LARGE')
  })

  it.each<[string, (body: Buffer) => Buffer]>([
    ['gzip', (body) => gzipSync(body)],
    ['br', (body) => brotliCompressSync(body)],
    ['gzip, gzip', (body) => gzipSync(gzipSync(body))],
  ])('C2.6: in %s counts once it is unpacked', async (coding, pack) => {
    const headers = { 'content-encoding': coding }
    const small = await answering(pack(Buffer.from('hello')), headers)
    expect(Buffer.from((await small()).body).toString()).toBe('hello')
    const bomb = await answering(pack(Buffer.alloc(50_000_000)), headers)
    const before = process.memoryUsage().rss
    expect(await failureOf(bomb())).toBe('TOO_LARGE')
    expect(await bomb({ excess: 'cut' })).toMatchObject({ isCut: true, body: { length: MAX } })
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000)
  })

  it.each([
    ['of gzip that is none', Buffer.from('plain'), 'gzip'],
    ['in a coding that nobody knows', Buffer.from('plain'), 'zstd'],
    ['that is packed too often', Buffer.from('x'), 'gzip, gzip, gzip'],
  ])('C2.6: %s is no answer', async (_, body, coding) => {
    const ask = await answering(body, { 'content-encoding': coding })
    expect(await failureOf(ask())).toBe('INVALID_RESPONSE')
  })

  it('C2.6: without a body needs no unpacking', async () => {
    const ask = await answering(Buffer.alloc(0), { 'content-encoding': 'gzip' })
    expect((await ask()).body).toHaveLength(0)
    expect((await ask({ method: 'HEAD' })).status).toBe(200)
  })

  it('C2.6: has at most 16 KiB of headers', async () => {
    const sink = await startSink((request, response) =>
      response.writeHead(200, { 'x-long': 'a'.repeat(request.url === '/long' ? 17_000 : 15_000) }).end(),
    )
    const { request } = await startOutbound(LOCAL)
    expect((await request(get(at(sink.port)))).status).toBe(200)
    expect(await failureOf(request(get(at(sink.port, '/long'))))).toBe('TOO_LARGE')
  })

  it.each<[string, string, string]>([
    ['that is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'INVALID_RESPONSE'],
    ['that breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'CONNECTION_FAILED'],
    ['that says nothing', '', 'CONNECTION_FAILED'],
    [
      'with two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nabc',
      'CONNECTION_FAILED',
    ],
  ])('C2.6: %s ends the request', async (_, said, kind) => {
    const port = await startRaw((socket) => socket.end(said))
    const { request } = await startOutbound(LOCAL)
    const error = await request(get(at(port))).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: kind, mayHaveArrived: true })
  })
})

it('C2.6: a hundred requests at once share nothing but the client', async () => {
  const sink = await startSink((request, response) => response.end(request.url))
  const { request } = await startOutbound(LOCAL)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at_) => request(get(at(sink.port, `/${at_}`)))),
  )
  expect(answers.map(({ body }) => Buffer.from(body).toString())).toEqual(answers.map((_, at_) => `/${at_}`))
})
