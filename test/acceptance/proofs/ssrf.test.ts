import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { HttpServerCapability } from '@svc/rest/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sink, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

/** Ways to write an address that nobody may connect to. */
const LITERALS = [
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '0x7f000001',
  '0x7F.0x0.0x0.0x1',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '①②⑦.0.0.1',
  '１２７．０．０．１',
  '127。0。0。1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[fc00::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '172.16.0.1',
  '192.168.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'LOCALHOST.',
  'ⓛocalhost',
  'app.localhost',
]

/** Names that lead to such addresses, the second of two and behind aliases too. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'loop.example': ['127.0.0.1'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:7f00:1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['1.1.1.1', '127.0.0.1'],
  'inner.example': ['10.1.2.3'],
  'broken.example': ['127.0.0.1:80'],
}

for (const store of STORES) {
  describe(`no address inside is reached on ${store.name}`, () => {
    let server: TestKernel
    let sink: Sink
    let port: number
    let connections = 0
    let stopTrap: () => Promise<unknown>
    let location = ''
    let status = 302
    beforeAll(async () => {
      for (const name of ['SSRF_ID', 'SSRF_KEY']) process.env[`SVC_DOMAIN_${name}`] = 'x'.repeat(20)
      const trap = createServer((socket) => {
        connections += 1
        socket.destroy()
      })
      trap.listen(0, '::')
      await once(trap, 'listening')
      port = (trap.address() as AddressInfo).port
      stopTrap = () => new Promise((resolve) => trap.close(resolve))
      sink = await startSink(() => ({ status, headers: { location } }))
      server = await startTestKernel({
        store,
        config: {
          jobs: { enabled: false },
          outbound: { allow_private: [`127.0.0.1:${new URL(sink.url).port}`] },
        },
      })
      server.clock.lookUp = async (name) => {
        const found = NAMES[name.replace(/\.$/, '')]
        if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
        return [...found]
      }
    })
    afterAll(async () => {
      await server.stop()
      await sink.stop()
      await stopTrap()
      for (const name of ['SSRF_ID', 'SSRF_KEY']) delete process.env[`SVC_DOMAIN_${name}`]
    })

    const AUTH = {
      type: 'aws_sigv4',
      accessKeyId: '${SVC_DOMAIN_SSRF_ID}',
      secretAccessKey: '${SVC_DOMAIN_SSRF_KEY}',
    }
    const INPUT = { value: 'string', other: 'string' }
    const MAIL = { to: 'a@example.org', subject: 'x', text: 'y' }
    /** An integration of each type that leads to a host. */
    const integrationsTo = (host: string, at: number) => ({
      [`rest${at}`]: { type: 'rest', baseUrl: `http://${host}:${port}`, operations: { ask: {} } },
      [`secure${at}`]: { type: 'rest', baseUrl: `https://${host}:${port}/v1`, operations: { ask: {} } },
      [`storage${at}`]: {
        type: 's3',
        bucket: 'files',
        endpoint: `https://${host}:${port}`,
        auth: AUTH,
        operations: { ask: { action: 'list' } },
      },
      [`post${at}`]: {
        type: 'smtp',
        host: host.replaceAll(/[[\]]/g, ''),
        port,
        secure: 'none',
        from: 'a@example.org',
        operations: { ask: MAIL },
      },
    })
    const definitionOf = (integrations: object) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: { Part: { object: { sku: 'string' } } },
          integrations,
        },
      })
    const ask = async (name: string, input?: object) => {
      const path = `/api/v1/shop/integrations/${name}/operations/ask`
      const { status: code, body } = await server.request('POST', path, {
        token: server.admin,
        body: input === undefined ? {} : { input },
      })
      return [code, body.error_code]
    }

    it('2.2, 2.3, 2.7: a literal is refused at submit, however it is written, in every place', async () => {
      // What is wrong with a definition is told up to a hundred faults.
      for (let from = 0; from < LITERALS.length; from += 20) {
        const integrations = Object.assign({}, ...LITERALS.slice(from, from + 20).map(integrationsTo))
        const { status: code, body } = await server.request('POST', '/api/v1/domains', {
          token: server.admin,
          body: { content: definitionOf(integrations) },
        })
        expect([code, body.error_code]).toEqual([422, 'PARSE_ERROR'])
        const refused = new Set(
          body.errors.map(({ path }: { path: string }) =>
            path.replace(/^domain\.integrations\.(\w+)\..*$/, '$1'),
          ),
        )
        const passed = Object.keys(integrations).filter((name) => !refused.has(name))
        expect(passed.map((name) => integrations[name])).toEqual([])
      }
      for (const host of LITERALS) {
        const answer = await server.request('POST', '/api/v1/admin/webhooks', {
          token: server.admin,
          body: { url: `https://${host}:${port}/`, events: ['svc.*'] },
        })
        expect([host, answer.status, answer.body.errors?.[0]?.rule]).toEqual([host, 422, 'address'])
      }
      expect(connections).toBe(0)
    })

    it('2.2, 2.7: a name that leads there is refused when it is connected to, by every type', async () => {
      const names = Object.keys(NAMES)
      await server.submit(definitionOf(Object.assign({}, ...names.map(integrationsTo))))
      for (const [at, name] of names.entries())
        for (const type of ['rest', 'secure', 'storage', 'post'])
          expect([name, type, ...(await ask(`${type}${at}`))]).toEqual([name, type, 422, 'ADDRESS_REFUSED'])
      expect(connections).toBe(0)
    })

    it('2.5: no redirect leads there, by any status', async () => {
      await server.submit(
        definitionOf({
          far: { type: 'rest', baseUrl: sink.url, redirects: 5, operations: { ask: {} } },
        }),
      )
      const places = [...LITERALS, ...Object.keys(NAMES)].flatMap((host) => [
        `http://${host}:${port}/`,
        `https://${host}:${port}/`,
      ])
      const others = [
        `//127.0.0.1:${port}/`,
        `http:\\\\127.0.0.1:${port}\\`,
        `http://x@127.0.0.1:${port}/`,
        `http://127.0.0.1:${port}#@example.org`,
        `http://exa\tmple.org@127.0.0.1:${port}`,
        'file:///etc/passwd',
        'gopher://127.0.0.1/',
        'data:text/plain,x',
      ]
      for (const [at, to] of [...places, ...others].entries()) {
        location = Buffer.from(to).toString('latin1')
        status = [301, 302, 303, 307, 308][at % 5] ?? 302
        const [code] = await ask('far')
        expect([to, code === 422 || code === 502]).toEqual([to, true])
      }
      expect(connections).toBe(0)
    })

    it('2.5, 2.6: no value leads elsewhere', async () => {
      status = 200
      const base = `${sink.url}/v1`
      await server.submit(
        definitionOf({
          far: {
            type: 'rest',
            baseUrl: base,
            operations: {
              ask: {
                method: 'POST',
                input: INPUT,
                path: '/parts/{$input.value}/x',
                query: { q: '$input.other' },
                headers: { 'x-value': '$input.other' },
                body: { value: '$input.value' },
              },
            },
          },
        }),
      )
      const before = sink.received.length
      const values = [
        `@127.0.0.1:${port}/`,
        `//127.0.0.1:${port}/`,
        `\\\\127.0.0.1:${port}\\`,
        '../../admin',
        '..%2f..%2fadmin',
        '%2e%2e',
        '?a=b#c',
        ';x=1',
        `http://127.0.0.1:${port}/`,
        '\u2024\u2024/',
        'a\u0085b',
      ]
      for (const value of values) await ask('far', { value, other: 'o' })
      for (const value of ['.', '..'])
        expect(await ask('far', { value, other: 'o' })).toEqual([422, 'VALIDATION_ERROR'])
      const [, code] = await ask('far', { value: 'a', other: 'x\r\nhost: evil' })
      expect(code).toBe('VALIDATION_ERROR')
      const got = sink.received.slice(before)
      expect(got.length).toBe(values.length)
      for (const [at, { path, headers }] of got.entries()) {
        expect([values[at], path]).toEqual([
          values[at],
          `/v1/parts/${encodeURIComponent(values[at] ?? '')}/x?q=o`,
        ])
        expect(headers.host).toBe(new URL(sink.url).host)
      }
      expect(connections).toBe(0)
    })

    it('2.3: nor is this server itself, whatever is allowed', async () => {
      const own = new URL(server.kernel.get(HttpServerCapability).url()).port
      const { status: code, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: {
          content: definitionOf({
            self: { type: 'rest', baseUrl: `http://127.0.0.1:${own}`, operations: { ask: {} } },
          }),
        },
      })
      expect([code, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    })
  })
}
