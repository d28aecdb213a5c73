import { SYSTEM } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { StoreCapability } from '@svc/store/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { type Sink, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { startTokenServer, type TokenServer } from './token-server.ts'

const SECRET = 'the-s3cret-of-the-client'
const CONFIG = {
  outbound: { allow_private: ['127.0.0.1'] },
  jobs: { enabled: false },
  integrations: { public_url: 'https://shop.example/' },
  auth: {
    jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 1000 * 86_400 },
  },
}

for (const store of STORES) {
  describe(`tokens of OAuth on ${store.name}`, () => {
    let server: TestKernel
    let issuer: TokenServer
    let sink: Sink
    let name = ''
    let tests = 0
    beforeAll(async () => {
      process.env['SVC_DOMAIN_OAUTH_SECRET'] = SECRET
      issuer = await startTokenServer()
      sink = await startSink(({ headers }) => ({
        status: issuer.knows((headers.authorization ?? '').replace('Bearer ', '')) ? 200 : 401,
      }))
      server = await startTestKernel({ store, config: CONFIG })
    })
    afterAll(async () => {
      await server.stop()
      await sink.stop()
      await issuer.stop()
      delete process.env['SVC_DOMAIN_OAUTH_SECRET']
    })
    beforeEach(() => {
      tests += 1
      name = `far${tests}`
      issuer.instead = undefined
      issuer.seconds = 3600
    })
    const CREDENTIALS = () => ({
      type: 'oauth2_client_credentials',
      tokenUrl: `${issuer.url}/token`,
      clientId: 'shop',
      clientSecret: '${SVC_DOMAIN_OAUTH_SECRET}',
    })
    const CODE = () => ({
      ...CREDENTIALS(),
      type: 'oauth2_authorization_code',
      authorizationUrl: `${issuer.url}/authorize`,
      revocationUrl: `${issuer.url}/revoke`,
      scopes: ['read', 'write'],
    })
    const definitionOf = (auth: object, more: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: { Order: { object: { number: 'string' } } },
          integrations: {
            [name]: {
              type: 'rest',
              baseUrl: sink.url,
              auth,
              operations: {
                ask: {},
                tell: {
                  method: 'POST',
                  body: { number: '{number}' },
                  trigger: { resource: 'Order', event: 'create' },
                },
              },
              ...more,
            },
          },
        },
      })
    const submit = (auth: object, more: object = {}) => server.submit(definitionOf(auth, more))
    const refused = async (auth: object) => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf(auth) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const askBy = async (request: TestKernel['request']) => {
      const path = `/api/v1/shop/integrations/${name}/operations/ask`
      const { status, body } = await request('POST', path, { token: server.admin, body: {} })
      return [status, body.error_code]
    }
    const ask = () => askBy(server.request)
    const oauth = (method: string, path = '', token: string | undefined = server.admin) =>
      server.request(method, `/api/v1/shop/integrations/${name}/oauth${path}`, {
        ...(token !== undefined && { token }),
        ...(method === 'POST' && { body: {} }),
      })
    const since = () => {
      const from = issuer.asked.length
      return () => issuer.asked.slice(from)
    }
    const connect = async () => {
      const { body } = await oauth('POST', '/connect')
      const { status, body: told } = await oauth(
        'GET',
        `/callback?${issuer.consent(body.data.authorizationUrl)}`,
      )
      expect([status, told.data]).toEqual([200, { connected: true }])
    }
    const tick = () => server.kernel.callAs(SYSTEM)('jobs.tick', {})

    it('6.9: a token is asked for once, and kept until a minute before its end', async () => {
      const asked = since()
      await submit({
        ...CREDENTIALS(),
        scopes: 'read write',
        audience: 'https://far.example',
        params: { tenant: '7' },
      })
      expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(
        Array.from({ length: 20 }, () => [200, undefined]),
      )
      expect(asked()).toEqual([
        {
          grant_type: 'client_credentials',
          scope: 'read write',
          audience: 'https://far.example',
          tenant: '7',
          basic: `shop:${SECRET}`,
        },
      ])
      server.clock.advance(3_539_000)
      await ask()
      expect(asked()).toHaveLength(1)
      server.clock.advance(2000)
      await ask()
      expect(asked()).toHaveLength(2)
      issuer.seconds = undefined
      server.clock.advance(3_600_000)
      await ask()
      server.clock.advance(299_000)
      await ask()
      expect(asked()).toHaveLength(3)
      server.clock.advance(2000)
      await ask()
      expect(asked()).toHaveLength(4)
    })

    it('4.3: the secret goes into the body where `clientAuth` says post', async () => {
      const asked = since()
      await submit({ ...CREDENTIALS(), clientAuth: 'post' })
      expect(await ask()).toEqual([200, undefined])
      expect(asked()).toEqual([
        { grant_type: 'client_credentials', client_id: 'shop', client_secret: SECRET },
      ])
    })

    it('6.9: after a 401 another token is asked for, and the request sent once more within the attempt', async () => {
      const asked = since()
      await submit(CREDENTIALS())
      await ask()
      const used = (sink.received.at(-1)?.headers.authorization ?? '').replace('Bearer ', '')
      issuer.end(used)
      const before = sink.received.length
      expect(await ask()).toEqual([200, undefined])
      expect([sink.received.length - before, asked().length]).toEqual([2, 2])
      const { body } = await server.request('GET', `/api/v1/shop/integrations/${name}/log`, {
        token: server.admin,
      })
      expect(body.data.items[0]).toMatchObject({ attemptNumber: 1, responseStatus: 200 })
    })

    it('6.9: a refresh is one on all servers, of a hundred calls at once', async () => {
      const asked = since()
      await submit(CODE())
      await connect()
      const other = await startSecond(server.database, server.clock, [], CONFIG)
      try {
        expect(await askBy(other.request)).toEqual([200, undefined])
        expect(asked()).toHaveLength(1)
        server.clock.advance(3_600_000)
        const calls = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? ask() : askBy(other.request)))
        expect(new Set((await Promise.all(calls)).map(String))).toEqual(new Set(['200,']))
        expect(asked().filter((one) => one['grant_type'] === 'refresh_token')).toHaveLength(1)
      } finally {
        await other.stop()
      }
    })

    it('6.9: who has gone while a token is asked for ends neither that nor the connection for the others', async () => {
      const asked = since()
      await submit(CODE(), { timeout: '5s' })
      await connect()
      server.clock.advance(3_600_000)
      let release!: () => void
      issuer.wait = new Promise((resolve) => (release = resolve))
      const gone = new AbortController()
      const { fetch } = server.kernel.get(HttpServerCapability)
      const leaving = fetch(
        new Request(`http://127.0.0.1/api/v1/shop/integrations/${name}/operations/ask`, {
          method: 'POST',
          headers: { authorization: `Bearer ${server.admin}`, 'content-type': 'application/json' },
          body: '{}',
          signal: gone.signal,
        }),
      )
      await expect.poll(() => asked().length).toBe(2)
      const staying = ask()
      gone.abort()
      await Promise.allSettled([leaving])
      release()
      issuer.wait = undefined
      expect(await staying).toEqual([200, undefined])
      expect(await ask()).toEqual([200, undefined])
      server.clock.advance(3_600_000)
      expect(await ask()).toEqual([200, undefined])
      expect(asked().filter((one) => one['grant_type'] === 'refresh_token')).toHaveLength(2)
      expect((await oauth('GET')).body.data.connected).toBe(true)
    })

    it('6.9: a connection that is made anew while tokens are renewed is the one that counts', async () => {
      const asked = since()
      await submit(CODE())
      await connect()
      server.clock.advance(3_600_000)
      let release!: () => void
      issuer.wait = new Promise((resolve) => (release = resolve))
      const waiting = ask()
      await expect.poll(() => asked().length).toBe(2)
      issuer.wait = undefined
      await connect()
      const before = sink.received.length
      expect(await ask()).toEqual([200, undefined])
      release()
      expect(await waiting).toEqual([200, undefined])
      expect(await ask()).toEqual([200, undefined])
      const used = new Set(sink.received.slice(before).map(({ headers }) => headers.authorization))
      expect(used.size).toBe(1)
    })

    it('6.8: somebody consents, and what is told of it has no token in it', async () => {
      const asked = since()
      await submit(CODE())
      expect(await ask()).toEqual([409, 'CONFLICT'])
      const begun = await oauth('POST', '/connect')
      const { authorizationUrl, expiresAt } = begun.body.data
      expect(Date.parse(expiresAt) - server.clock.now()).toBe(600_000)
      const { searchParams, origin, pathname } = new URL(authorizationUrl)
      expect(origin + pathname).toBe(`${issuer.url}/authorize`)
      expect(Object.fromEntries(searchParams)).toEqual({
        response_type: 'code',
        client_id: 'shop',
        redirect_uri: `https://shop.example/api/v1/shop/integrations/${name}/oauth/callback`,
        scope: 'read write',
        state: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      })
      const back = issuer.consent(authorizationUrl)
      back.set('iss', issuer.url)
      const { status, body } = await oauth('GET', `/callback?${back}`, '')
      expect([status, body.data]).toEqual([200, { connected: true }])
      expect(await ask()).toEqual([200, undefined])
      const told = (await oauth('GET')).body.data
      expect(told).toEqual({
        connected: true,
        scopes: ['read', 'write'],
        expiresAt: new Date(server.clock.now() + 3_540_000).toISOString(),
        connectedBy: 'admin',
        connectedAt: new Date(server.clock.now()).toISOString(),
      })
      expect(asked()).toHaveLength(1)
      const token = (sink.received.at(-1)?.headers.authorization ?? '').replace('Bearer ', '')
      const { items } = (
        await server.request('GET', `/api/v1/shop/integrations/${name}/log`, { token: server.admin })
      ).body.data
      const rows = await server.kernel.get(StoreCapability).select({
        table: {
          name: 'shop__integrations__connections',
          columns: [],
          primaryKey: [],
          indexes: [],
          foreignKeys: [],
        },
        columns: [{ name: 'tokens', kind: 'text', nullable: true } as never],
        where: { op: 'always' },
        order: [],
      })
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify([told, items, rows])).not.toContain(token)
    })

    it('6.8: a state counts once, for ten minutes and its integration', async () => {
      await submit(CODE())
      const asked = since()
      const begin = async () => issuer.consent((await oauth('POST', '/connect')).body.data.authorizationUrl)
      const callback = async (answer: URLSearchParams | string) => {
        const { status, body } = await oauth('GET', `/callback?${answer}`)
        return [status, body.error_code]
      }
      const bad = [400, 'BAD_REQUEST']
      expect(await callback('code=x&state=unknown')).toEqual(bad)
      expect(await callback('code=x')).toEqual(bad)
      const late = await begin()
      server.clock.advance(600_000)
      expect(await callback(late)).toEqual(bad)
      const denied = await begin()
      expect(await callback(`error=access_denied&state=${denied.get('state')}`)).toEqual(bad)
      expect(await callback(denied)).toEqual(bad)
      const foreign = await begin()
      foreign.set('iss', 'https://evil.example')
      expect(await callback(foreign)).toEqual(bad)
      const other = await begin()
      const mine = name
      name = `${mine}x`
      await server.submit(
        definitionOf(CODE()).replace(
          '"integrations":{',
          `"integrations":{"${mine}":{"type":"rest","baseUrl":"${sink.url}","auth":${JSON.stringify(CODE())}},`,
        ),
      )
      expect(await callback(other)).toEqual(bad)
      name = mine
      expect(asked()).toEqual([])
      const good = await begin()
      const all = await Promise.all([callback(good), callback(good), callback(good)])
      expect(all.filter(([status]) => status === 200)).toHaveLength(1)
      expect(asked()).toHaveLength(1)
    })

    it('6.8: what was set off waits for a connection, and loses no attempt', async () => {
      await submit(CODE())
      const before = sink.received.length
      await server.request('POST', '/api/v1/shop/orders', { token: server.admin, body: { number: 'W1' } })
      await tick()
      expect(sink.received.length).toBe(before)
      await connect()
      server.clock.advance(31_000)
      await tick()
      expect(sink.received.slice(before).map(({ body }) => body)).toEqual(['{"number":"W1"}'])
      const { body } = await server.request('GET', `/api/v1/shop/integrations/${name}/log`, {
        token: server.admin,
      })
      expect(body.data.items).toMatchObject([{ attemptNumber: 1, success: true }])
    })

    it('6.9: invalid_grant disconnects, and DELETE revokes', async () => {
      await submit(CODE())
      await connect()
      issuer.instead = {
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: '{"error":"invalid_grant"}',
      }
      server.clock.advance(3_600_000)
      expect(await ask()).toEqual([409, 'CONFLICT'])
      expect((await oauth('GET')).body.data.connected).toBe(false)
      issuer.instead = undefined
      await connect()
      const revoked = issuer.revoked.length
      expect((await oauth('DELETE')).status).toBe(204)
      expect(issuer.revoked.slice(revoked)).toEqual([expect.stringMatching(/^refresh-/)])
      expect(await ask()).toEqual([409, 'CONFLICT'])
      expect((await oauth('DELETE')).status).toBe(204)
    })

    it('6.9: a token server that fails is a failed attempt, by its own word', async () => {
      await submit(CREDENTIALS(), { retry: { maxAttempts: 3, backoff: 'fixed', baseDelay: '1ms' } })
      const asked = since()
      issuer.instead = { status: 503 }
      expect(await ask()).toEqual([502, 'UPSTREAM_FAILED'])
      expect(asked()).toHaveLength(3)
      issuer.instead = {
        status: 401,
        headers: { 'content-type': 'application/json' },
        body: '{"error":"invalid_client"}',
      }
      expect(await ask()).toEqual([502, 'UPSTREAM_FAILED'])
      expect(asked()).toHaveLength(4)
      issuer.instead = { status: 200, headers: { 'content-type': 'application/json' }, body: 'no json' }
      expect(await ask()).toEqual([502, 'UPSTREAM_FAILED'])
      issuer.instead = undefined
      expect(await ask()).toEqual([200, undefined])
    })

    it('6.1, 6.8: for those who manage it, and of what somebody consents to alone', async () => {
      await submit(CODE())
      const { token } = await server.account(`clerk-${name}`, ['clerk'])
      for (const [method, path] of [
        ['POST', '/connect'],
        ['GET', ''],
        ['DELETE', ''],
      ] as const)
        expect([(await oauth(method, path, token)).status, (await oauth(method, path, '')).status]).toEqual([
          403, 401,
        ])
      await submit([CREDENTIALS()])
      expect((await oauth('GET')).status).toBe(404)
      expect(await refused({ ...CREDENTIALS(), tokenUrl: 'https://10.0.0.1/token' })).toContain('tokenUrl')
      expect(await refused({ ...CODE(), authorizationUrl: 'javascript:alert(1)' })).toContain(
        'authorizationUrl',
      )
      expect(await refused({ ...CREDENTIALS(), clientSecret: 'literal' })).toContain('clientSecret')
    })
  })
}
