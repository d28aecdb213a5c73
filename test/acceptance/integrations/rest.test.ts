import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

const KEY = 'k3y-of-the-catalogue'
const VARIABLES = { CATALOGUE_KEY: KEY, CATALOGUE_SIGNS: 's1gns-the-orders' }

const RESOURCES = {
  Part: {
    object: {
      sku: { type: 'string', required: true },
      quantity: 'integer',
      price: 'integer',
      cost: 'integer',
    },
    permissions: {
      list: ['*'],
      get: ['clerk', 'admin'],
      create: ['*'],
      fields: { cost: { read: ['buyer'] } },
    },
  },
}

const definitionOf = (integrations: object): string =>
  JSON.stringify({ domain: { name: 'shop', version: '1.0.0', resources: RESOURCES, integrations } })

for (const store of STORES) {
  describe(`integrations of type rest on ${store.name}`, () => {
    let sink: Sink
    let server: TestKernel
    let answer: () => SinkAnswer
    let before: number
    beforeAll(async () => {
      sink = await startSink(() => answer())
      for (const [name, value] of Object.entries(VARIABLES)) process.env[`SVC_DOMAIN_${name}`] = value
      server = await startTestKernel({
        store,
        config: { outbound: { allow_private: ['127.0.0.1'] }, integrations: { max_body_bytes: 4096 } },
      })
    })
    afterAll(async () => {
      await server.stop()
      await sink.stop()
      for (const name of Object.keys(VARIABLES)) delete process.env[`SVC_DOMAIN_${name}`]
    })
    beforeEach(() => {
      answer = () => ({ status: 200, headers: { 'content-type': 'application/json' } })
      before = sink.received.length
    })
    const received = () => sink.received.slice(before)
    const rest = (more: object, operation: object = {}) => ({
      catalogue: { type: 'rest', baseUrl: `${sink.url}/v2`, ...more, operations: { ask: operation } },
    })
    const submit = (integrations: object) => server.submit(definitionOf(integrations))
    const refused = async (integrations: object) => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf(integrations) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const ask = (
      body: object = {},
      token: string | undefined = server.admin,
      path = 'catalogue/operations/ask',
    ) => server.request('POST', `/api/v1/shop/integrations/${path}`, { body, ...(token && { token }) })
    const part = async (values: object = {}): Promise<string> => {
      const body = { sku: 'a/b ?', quantity: 2, price: 12, cost: 7, ...values }
      return (await server.request('POST', '/api/v1/shop/parts', { body })).body.data.id
    }

    it('4.1: what an integration cannot be is refused where it stands, with what would be right', async () => {
      const cases: readonly (readonly [object, string])[] = [
        [{ '1st': { type: 'rest', baseUrl: 'https://a.example' } }, 'is no name for an integration'],
        [
          {
            a: { type: 'rest', baseUrl: 'https://a.example' },
            A: { type: 'rest', baseUrl: 'https://a.example' },
          },
          'by case alone',
        ],
        [{ a: { type: 'pigeon', host: 'mail.example' } }, 'type'],
        [{ a: { type: 'rest', baseUrl: '/v2' } }, 'is no absolute url'],
        [{ a: { type: 'rest', baseUrl: 'https://a.example?x=1' } }, 'has a query'],
        [{ a: { type: 'rest', baseUrl: 'https://127.0.0.2' } }, 'baseUrl'],
        [rest({ timeout: '61s' }), 'is out of bounds'],
        [rest({ ca: 'x' }), 'is no certificate in PEM'],
        [rest({ auth: { type: 'mtls' } }), "Write 'cert' and 'key'"],
        [rest({ permissions: { execute: ['owner'] } }), 'asks for a record'],
      ]
      for (const [integrations, message] of cases) expect(await refused(integrations)).toContain(message)
    })

    it('3.1: a secret is one variable and nothing else, and one that is not set is named', async () => {
      expect(await refused(rest({ auth: { type: 'bearer', token: 'hush' } }))).toContain('is a secret')
      await submit(rest({ auth: { type: 'bearer', token: '${SVC_DOMAIN_CATALOGUE_NOT_SET:never-sent}' } }))
      const { status, body } = await ask()
      expect([status, body.error_code]).toEqual([409, 'CONFLICT'])
      expect(body.error_message).toContain('CATALOGUE_NOT_SET')
      expect(received()).toEqual([])
    })

    it('4.3: api_key, bearer, basic and hmac_signature authorize what is sent', async () => {
      const key = '${SVC_DOMAIN_CATALOGUE_KEY}'
      const sent = async (auth: object) => {
        await submit(rest({ auth }, { method: 'POST', body: { sku: 'a' } }))
        expect(await ask()).toMatchObject({ status: 200 })
        return received().at(-1) ?? expect.fail()
      }
      expect((await sent({ type: 'api_key', key, prefix: 'Key ' })).headers['x-api-key']).toBe(`Key ${KEY}`)
      expect((await sent({ type: 'api_key', key, query: 'k' })).path).toBe(`/v2/?k=${KEY}`)
      expect((await sent({ type: 'bearer', token: key })).headers.authorization).toBe(`Bearer ${KEY}`)
      expect((await sent({ type: 'basic', username: 'ada', password: key })).headers.authorization).toBe(
        `Basic ${Buffer.from(`ada:${KEY}`).toString('base64')}`,
      )
      const signed = await sent({
        type: 'hmac_signature',
        secret: '${SVC_DOMAIN_CATALOGUE_SIGNS}',
        prefix: 'v0=',
        content: '{timestamp}.{body}',
        timestampHeader: 'X-Time',
      })
      const hmac = createHmac('sha256', VARIABLES.CATALOGUE_SIGNS)
      const digest = hmac.update(`${String(signed.headers['x-time'])}.${signed.body}`).digest('hex')
      expect(signed.headers['x-signature']).toBe(`v0=${digest}`)
    })

    it('4.3: hmac_signature has every digest in every encoding, over the nonce too', async () => {
      const weak = async (algorithm?: string) => {
        const auth = { type: 'hmac_signature', secret: '${SVC_DOMAIN_CATALOGUE_SIGNS}', algorithm }
        const content = definitionOf(rest({ auth }))
        const { status, body } = await server.request('POST', '/api/v1/domains', {
          token: server.admin,
          body: { content },
        })
        expect(status).toBe(201)
        return JSON.stringify(body).includes('sha1 is weak')
      }
      const nonces = new Set<unknown>()
      const digests = ['sha256', 'sha384', 'sha512', 'sha1'] as const
      const encodings = ['hex', 'base64', 'base64url'] as const
      const cases = digests.flatMap((digest) => encodings.map((encoding) => [digest, encoding] as const))
      for (const [algorithm, encoding] of cases) {
        const auth = {
          type: 'hmac_signature',
          secret: '${SVC_DOMAIN_CATALOGUE_SIGNS}',
          header: 'X-Digest',
          algorithm,
          encoding,
          content: '{nonce}:{body}',
          nonceHeader: 'X-Nonce',
        }
        await submit(rest({ auth }, { method: 'POST', body: { sku: 'ä' } }))
        expect((await ask()).status).toBe(200)
        const { headers, body } = received().at(-1) ?? expect.fail()
        const signs = createHmac(algorithm, VARIABLES.CATALOGUE_SIGNS).update(`${headers['x-nonce']}:${body}`)
        expect(headers['x-digest'], `${algorithm} ${encoding}`).toBe(signs.digest(encoding))
        nonces.add(headers['x-nonce'])
      }
      expect(nonces.size).toBe(cases.length)
      expect([await weak(), await weak('sha512'), await weak('sha1')]).toEqual([false, false, true])
    })

    it('4.3: two ways that set one header, and a signature of what is not sent, are refused', async () => {
      const bearer = { type: 'bearer', token: '${SVC_DOMAIN_CATALOGUE_KEY}' }
      expect(await refused(rest({ auth: [bearer, bearer] }))).toContain("set the header 'authorization'")
      const auth = { type: 'hmac_signature', secret: '${SVC_DOMAIN_CATALOGUE_KEY}', content: '{body}{nonce}' }
      expect(await refused(rest({ auth }))).toContain('signs {nonce}')
    })

    it('4.5: an operation sends its method, path, query, headers and body', async () => {
      const headers = { 'X-Shop': 'all', 'X-Part': 'none' }
      const operation = {
        resource: 'Part',
        method: 'PUT',
        path: '/parts/{sku}/stock',
        query: { of: '$record.id', none: null },
        headers: { 'X-Part': '$record.quantity' },
        body: {
          sku: '$record.sku',
          total: '$($record.price * $record.quantity)',
          twice: '$mapped.total',
          text: '{sku}!',
        },
      }
      await submit(rest({ headers }, operation))
      const id = await part()
      const { status, body } = await ask({ recordId: id })
      expect([status, body.data]).toEqual([
        200,
        {
          runId: expect.any(String),
          success: true,
          skipped: false,
          attempts: 1,
          durationMs: expect.any(Number),
          status: 200,
          response: null,
          written: [],
        },
      ])
      const [got = expect.fail()] = received()
      expect([got.method, got.path]).toEqual(['PUT', `/v2/parts/a%2Fb%20%3F/stock?of=${id}`])
      expect(got.headers).toMatchObject({
        'x-shop': 'all',
        'x-part': '2',
        'content-type': 'application/json',
        'idempotency-key': body.data.runId,
      })
      expect(JSON.parse(got.body)).toEqual({ sku: 'a/b ?', total: 24, twice: 24, text: 'a/b ?!' })
    })

    it('4.7: what was mapped is known whole in what comes after, beside what that has made so far', async () => {
      const operation = {
        resource: 'Part',
        method: 'POST',
        headers: { 'X-Ref': '$mapped.ref', 'X-Again': "$($mapped['X-Ref'])" },
        query: { of: '$mapped.ref' },
        body: { ref: 'ref-{sku}' },
        write: {
          action: 'create',
          mapping: { sku: '$mapped.ref', quantity: 4, price: '$mapped.quantity' },
        },
      }
      await submit(rest({}, operation))
      const { body } = await ask({ recordId: await part({ sku: 'a' }) })
      const [got = expect.fail()] = received()
      expect([got.path, got.headers['x-ref'], got.headers['x-again']]).toEqual([
        '/v2/?of=ref-a',
        'ref-a',
        'ref-a',
      ])
      const [made] = body.data.written
      const written = await server.request('GET', `/api/v1/shop/parts/${made.id}`, { token: server.admin })
      expect(written.body.data).toMatchObject({ sku: 'ref-a', quantity: 4, price: 4 })
    })

    it('6.7: a run is about the record under its own key, however that was spelled', async () => {
      await submit(rest({}, { resource: 'Part', path: '/{sku}' }))
      const id = await part()
      expect((await ask({ recordId: id.toUpperCase() })).status).toBe(200)
      const path = `/api/v1/shop/integrations/catalogue/log?recordId=${id}`
      const { body } = await server.request('GET', path, { token: server.admin })
      expect(body.data.items).toMatchObject([{ recordId: id }])
    })

    it('4.5: forms and texts are sent as such, and `idempotency: false` sends no key', async () => {
      const form = { method: 'POST', format: 'form', body: { a: 'x y', n: 2 }, idempotency: false }
      await submit(rest({}, form))
      await ask()
      await submit(rest({}, { method: 'POST', format: 'text', body: 'two words' }))
      await ask()
      const [first = expect.fail(), second = expect.fail()] = received()
      expect([first.body, first.headers['idempotency-key']]).toEqual(['a=x+y&n=2', undefined])
      expect([second.body, second.headers['content-type']]).toEqual([
        'two words',
        'text/plain; charset=utf-8',
      ])
    })

    it('4.5: the query of an integration is sent with every operation, whose own wins; its key may have another header', async () => {
      const idempotency = { header: 'X-Once', key: '{$input.n}-of-many' }
      const input = { n: 'integer' }
      const operation = { method: 'POST', input, query: { b: 3 }, idempotency }
      await submit(rest({ query: { a: 1, b: 2 } }, operation))
      await ask({ input: { n: 7 } })
      const [got = expect.fail()] = received()
      expect([got.path, got.headers['x-once'], got.headers['idempotency-key']]).toEqual([
        '/v2/?a=1&b=3',
        '7-of-many',
        undefined,
      ])
    })

    it('2.5: a redirect is a failure unless it is allowed, and then for reading alone', async () => {
      answer = () =>
        received().length === 1 ? { status: 302, headers: { location: '/there' } } : { status: 204 }
      await submit(rest({}))
      expect((await ask()).body).toMatchObject({ error_code: 'UPSTREAM_FAILED', data: { status: 302 } })
      before = sink.received.length
      await submit(rest({ redirects: 1 }))
      expect((await ask()).body.data.status).toBe(204)
      expect(received().map(({ path }) => path)).toEqual(['/v2/', '/there'])
      before = sink.received.length
      await submit(rest({ redirects: 1 }, { method: 'POST', body: {} }))
      expect((await ask()).body.error_code).toBe('UPSTREAM_FAILED')
      expect(received()).toHaveLength(1)
    })

    it('2.6: a body over integrations.max_body_bytes is neither sent nor taken', async () => {
      await submit(rest({}, { input: { text: 'string' }, method: 'POST', body: { text: '$input.text' } }))
      const { status, body } = await ask({ input: { text: 'x'.repeat(5000) } })
      expect([status, body.errors[0]]).toMatchObject([422, { field: 'body', rule: 'mapping' }])
      expect(received()).toEqual([])
      answer = () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(5000) })
      expect((await ask({ input: { text: 'x' } })).body.error_code).toBe('UPSTREAM_FAILED')
    })

    it('4.6: a text with an operator between fields and no $ is a text, and is warned of', async () => {
      const operation = { resource: 'Part', method: 'POST', body: { total: 'price * quantity' } }
      const { body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf(rest({}, operation)) },
      })
      expect(JSON.stringify(body)).toContain('price * quantity')
      await ask({ recordId: await part() })
      expect(JSON.parse(received()[0]?.body ?? '')).toEqual({ total: 'price * quantity' })
    })

    it('4.5: `when` skips, `input` is checked, `manual: false` is nobody’s', async () => {
      const input = { count: { type: 'integer', required: true }, note: 'string' }
      await submit(rest({}, { input, when: '$input.count > 0', path: '/{$input.count}' }))
      expect((await ask({ input: { count: 0 } })).body.data).toMatchObject({ skipped: true, attempts: 0 })
      expect(received()).toEqual([])
      expect((await ask({ input: { count: 3 } })).status).toBe(200)
      expect(received()[0]?.path).toBe('/v2/3')
      const rules = async (given: object) =>
        (await ask({ input: given })).body.errors.map(({ rule }: { rule: string }) => rule)
      expect(await rules({})).toEqual(['required'])
      expect(await rules({ count: 1, more: 1 })).toEqual(['unknown'])
      await submit(rest({}, { manual: false }))
      expect((await ask()).status).toBe(404)
    })

    it('2.9: who asks again with the same Idempotency-Key is told what came of it, and nothing is sent', async () => {
      await submit(rest({}, { method: 'POST', body: { a: 1 } }))
      const path = '/api/v1/shop/integrations/catalogue/operations/ask'
      const once = () =>
        server.request('POST', path, {
          token: server.admin,
          body: {},
          headers: { 'Idempotency-Key': `key-${before}` },
        })
      const [first, second] = [await once(), await once()]
      expect([first.status, second.status, received().length]).toEqual([200, 200, 1])
      expect(second.body.data).toEqual(first.body.data)
    })

    it('4.6: what cannot be sent is rule mapping, and nothing is sent', async () => {
      const cases: readonly (readonly [object, object])[] = [
        [{ path: '/{sku}' }, { sku: '..' }],
        [{ headers: { 'X-A': '$record.sku' } }, { sku: 'a\r\nb' }],
        [
          { method: 'POST', body: { amount: { of: '$record.price' } }, required: ['amount.of'] },
          { price: null },
        ],
      ]
      for (const [operation, values] of cases) {
        await submit(rest({}, { resource: 'Part', ...operation }))
        const { status, body } = await ask({ recordId: await part(values) })
        expect([status, body.errors?.[0]?.rule]).toEqual([422, 'mapping'])
      }
      expect(received()).toEqual([])
    })

    it('4.6: unknown variables, functions, fields and resources are refused', async () => {
      const post = (value: unknown) => rest({}, { resource: 'Part', method: 'POST', body: { value } })
      for (const value of ['$payload.id', '$response.id', '$nothing', 'shout($record.sku)', '$record.colour'])
        expect(await refused(post(value))).toContain('body')
      expect(await refused(rest({}, { resource: 'Prat' }))).toContain("Did you mean 'Part'?")
      expect(await refused(rest({}, { body: { a: 1 } }))).toContain('means nothing with GET')
      expect(await refused(rest({}, { path: '/a/../b' }))).toContain("the segments '.' and '..'")
      expect(await refused(rest({}, { headers: { Host: 'x' } }))).toContain('is set by the service')
    })

    it('4.7: functions of mappings', async () => {
      const body = {
        upper: 'toUpper($record.sku)',
        lower: "$(toLower('ÄB'))",
        number: "toNumber(' 1.5e1 ')",
        none: "toNumber('1 apple')",
        first: 'coalesce(null, $record.price)',
      }
      await submit(rest({}, { resource: 'Part', method: 'POST', body }))
      await ask({ recordId: await part({ sku: 'ab' }) })
      expect(JSON.parse(received()[0]?.body ?? '')).toEqual({
        upper: 'AB',
        lower: 'äb',
        number: 15,
        none: null,
        first: 12,
      })
    })

    it('2.7: a refused address is ADDRESS_REFUSED, a literal one at submit', async () => {
      expect(await refused({ catalogue: { type: 'rest', baseUrl: 'https://10.0.0.1' } })).toContain('baseUrl')
      const { lookUp } = server.clock
      onTestFinished(() => void Object.assign(server.clock, { lookUp }))
      Object.assign(server.clock, { lookUp: async () => ['10.0.0.1'] })
      await submit({ catalogue: { type: 'rest', baseUrl: 'https://inner.example', operations: { ask: {} } } })
      const { status, body } = await ask()
      expect([status, body.error_code]).toEqual([422, 'ADDRESS_REFUSED'])
      expect(body.data).toMatchObject({ attempts: 1, status: null })
    })

    it('6.1: view and execute say who may', async () => {
      await submit(
        rest(
          { permissions: { view: ['clerk'], execute: "hasRole('keeper')" } },
          { resource: 'Part', path: '/{sku}' },
        ),
      )
      const clerk = await server.account(`clerk-${before}`, ['clerk'])
      const keeper = await server.account(`keeper-${before}`, ['keeper'])
      const list = (token?: string) =>
        server.request('GET', '/api/v1/shop/integrations', token === undefined ? {} : { token })
      expect([(await list()).status, (await list(keeper.token)).status]).toEqual([401, 403])
      expect((await list(clerk.token)).body.data.count).toBe(1)
      expect([(await ask({}, clerk.token)).status, (await ask({}, keeper.token)).status]).toEqual([403, 422])
      // A record that an operation is called on needs `get`.
      expect((await ask({ recordId: await part() }, keeper.token)).status).toBe(403)
      expect((await ask({}, keeper.token, 'nobody/operations/ask')).status).toBe(404)
    })

    it('6.2: lists tell what there is, and no address', async () => {
      const auth = { type: 'bearer', token: '${SVC_DOMAIN_CATALOGUE_KEY}' }
      await submit(
        rest({ auth, label: 'Parts' }, { resource: 'Part', path: '/{sku}', input: { n: 'integer' } }),
      )
      const { body } = await server.request('GET', '/api/v1/shop/integrations/catalogue', {
        token: server.admin,
      })
      expect(body.data).toEqual({
        name: 'catalogue',
        type: 'rest',
        label: 'Parts',
        description: null,
        enabled: true,
        auth: ['bearer'],
        operations: [
          {
            name: 'ask',
            description: null,
            resource: 'Part',
            input: [{ name: 'n', type: 'integer', required: false }],
            triggers: [],
            manual: true,
          },
        ],
      })
      const document = await server.request('GET', '/api/v1/shop/openapi.json')
      expect(JSON.stringify(document.body)).not.toContain('catalogue')
    })

    it('6.5: what the other side does not do is UPSTREAM_FAILED, what takes too long UPSTREAM_TIMEOUT', async () => {
      await submit(rest({ timeout: '300ms' }))
      answer = () => ({ status: 503 })
      expect((await ask()).body).toMatchObject({
        error_code: 'UPSTREAM_FAILED',
        code: 502,
        data: { runId: expect.any(String), attempts: 1, status: 503, deadLetterId: expect.any(String) },
      })
      answer = () => 'hang'
      expect((await ask()).body).toMatchObject({ error_code: 'UPSTREAM_TIMEOUT', code: 504 })
      await submit(rest({}, { success: '$status == 404' }))
      answer = () => ({ status: 404 })
      expect((await ask()).status).toBe(200)
      await submit(rest({ enabled: false }))
      expect((await ask()).status).toBe(409)
    })

    it('6.6: a dry run sends nothing, and shows neither secrets nor what the caller may not read', async () => {
      const auth = [
        { type: 'bearer', token: '${SVC_DOMAIN_CATALOGUE_KEY}' },
        { type: 'api_key', key: '${SVC_DOMAIN_CATALOGUE_KEY}', query: 'key' },
      ]
      const operation = {
        resource: 'Part',
        method: 'POST',
        path: '/x',
        body: { sku: '$record.sku', cost: '$record.cost' },
      }
      await submit(rest({ auth, permissions: { execute: ['clerk'] } }, operation))
      const clerk = await server.account(`dry-${before}-${store.name}`, ['clerk'])
      const { status, body } = await ask({ recordId: await part(), dryRun: true }, clerk.token)
      expect([status, body.data]).toEqual([
        200,
        {
          dryRun: true,
          request: {
            method: 'POST',
            url: `${sink.url}/v2/x?key=%5BREDACTED%5D`,
            headers: expect.objectContaining({ authorization: '[REDACTED]' }),
            body: { sku: 'a/b ?', cost: '***' },
          },
        },
      ])
      expect(received()).toEqual([])
    })

    it('3.2: a secret that comes back is not shown', async () => {
      await submit(rest({ auth: { type: 'bearer', token: '${SVC_DOMAIN_CATALOGUE_KEY}' } }))
      answer = () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: `you sent ${KEY}` })
      expect((await ask()).body.data.response).toBe('you sent [REDACTED]')
      expect(JSON.stringify(server.log)).not.toContain(KEY)
    })

    it('3.2: cookies and what authorizes are sent, and stand in no answer, dry run, log, dead letter or table', async () => {
      const headers = {
        Authorization: 'Basic {$input.pin}',
        'Proxy-Authorization': 'Basic {$input.pin}',
        Cookie: 'session={$input.pin}',
        'Set-Cookie': 'session={$input.pin}',
        'X-Pin': 'none',
      }
      const write = { action: 'create', mapping: { sku: "$headers['set-cookie']", quantity: 1 } }
      const operation = { resource: 'Part', method: 'POST', headers, input: { pin: 'string' }, write }
      await submit(rest({}, operation))
      const pin = 'b1scuit-of-ada'
      const shown = Object.fromEntries(Object.keys(headers).map((one) => [one.toLowerCase(), '[REDACTED]']))
      const told: unknown[] = []
      const run = async (more: object = {}) => {
        const { body } = await ask({ input: { pin }, ...more })
        told.push(body)
        return body.data
      }
      expect((await run({ dryRun: true })).request.headers).toMatchObject({ ...shown, 'x-pin': 'none' })
      answer = () => ({ status: 200, headers: { 'set-cookie': `session=${pin}` } })
      const [{ id }] = (await run()).written
      expect(received()[0]?.headers).toMatchObject({
        authorization: `Basic ${pin}`,
        'proxy-authorization': `Basic ${pin}`,
        cookie: `session=${pin}`,
        'set-cookie': [`session=${pin}`],
      })
      const look = async (path: string) =>
        (await server.request('GET', `/api/v1/shop/${path}`, { token: server.admin })).body.data
      expect((await look(`parts/${id}`)).sku).toBe('[REDACTED]')
      answer = () => ({ status: 500, headers: { 'set-cookie': `session=${pin}` } })
      const { deadLetterId } = await run()
      const letter = await look(`integrations/catalogue/deadletter/${deadLetterId}`)
      expect(letter.request.headers).toMatchObject({ ...shown, 'x-pin': 'none' })
      told.push(letter, await look('integrations/catalogue/log'), server.log)
      expect(JSON.stringify(told)).not.toContain(pin)
    })
  })
}
