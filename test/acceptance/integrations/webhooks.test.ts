import { createHmac } from 'node:crypto'
import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

const SECRET = 'a-secret-of-the-payments'
const STANDARD = `whsec_${Buffer.from('a standard secret of the webhook').toString('base64')}`
const VARIABLES = {
  SVC_DOMAIN_PAY: SECRET,
  SVC_DOMAIN_PAY_OLD: 'an-older-secret',
  SVC_DOMAIN_STANDARD: STANDARD,
}

const RESOURCES = {
  Invoice: {
    object: {
      number: { type: 'string', required: true, unique: true },
      paid: { type: 'integer', min: 0 },
      note: 'string',
    },
    permissions: { create: ['*'], list: ['*'], get: ['*'] },
  },
}

const WRITE = {
  resource: 'Invoice',
  match: 'number',
  mapping: { number: '$payload.invoice', paid: '$payload.cents' },
}
const HMAC = { secret: '${SVC_DOMAIN_PAY}' }

for (const store of STORES) {
  describe(`webhooks that come in on ${store.name}`, () => {
    let server: TestKernel
    let name = ''
    let at = 0
    beforeAll(async () => {
      Object.assign(process.env, VARIABLES)
      server = await startTestKernel({
        store,
        config: {
          jobs: { enabled: false },
          integrations: { max_body_bytes: 4096 },
          auth: {
            jwt: {
              secret: 'a secret of tests that is long enough',
              access_token_ttl_seconds: 100 * 86_400,
            },
          },
        },
      })
    })
    afterAll(async () => {
      await server.stop()
      for (const variable of Object.keys(VARIABLES)) delete process.env[variable]
    })
    beforeEach(() => {
      at += 1
      name = `payments${at}`
    })

    const definitionOf = (webhook: object) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: RESOURCES,
          integrations: { [name]: { type: 'webhook', ...webhook } },
        },
      })
    const submit = (webhook: object) => server.submit(definitionOf(webhook))
    const refused = async (webhook: object) => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf(webhook) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const post = (body: string | object, headers: Record<string, string> = {}, to = name) =>
      server.request('POST', `/api/v1/shop/webhooks/${to}`, {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
    const digest = (text: string, secret = SECRET) => createHmac('sha256', secret).update(text).digest('hex')
    const signed = (body: object, more: Record<string, string> = {}) => {
      const text = JSON.stringify(body)
      return post(text, { 'X-Signature': digest(text), ...more })
    }
    const look = async (path: string) =>
      (await server.request('GET', `/api/v1/shop/integrations/${name}/${path}`, { token: server.admin })).body
        .data
    const manage = (path: string, body: object = {}) =>
      server.request('POST', `/api/v1/shop/integrations/${name}/${path}`, { token: server.admin, body })
    const invoices = async (number: string) =>
      (await server.request('GET', `/api/v1/shop/invoices?filter[number]=${number}`)).body.data.items
    const seconds = () => String(Math.floor(server.clock.now() / 1000))

    it('7.5, 7.2: a signed message is written in one transaction, and answered once it is', async () => {
      await submit({ signature: HMAC, write: WRITE })
      const { status, body } = await signed({ invoice: `A${at}`, cents: 100 })
      expect([status, body.data]).toEqual([
        200,
        {
          received: true,
          id: expect.any(String),
          duplicate: false,
          written: [{ resource: 'Invoice', action: 'create', id: expect.any(String) }],
        },
      ])
      expect(await invoices(`A${at}`)).toMatchObject([{ paid: 100 }])
      expect((await look('log')).items).toMatchObject([
        {
          direction: 'inbound',
          operation: null,
          requestBody: { invoice: `A${at}`, cents: 100 },
          success: true,
          triggeredBy: 'webhook',
          attemptNumber: 1,
        },
      ])
    })

    it('7.1: what shows nothing, or the wrong thing, is one answer byte for byte', async () => {
      await submit({
        signature: HMAC,
        replayProtection: { timestampHeader: 'X-Time', nonceHeader: 'X-Nonce' },
        write: WRITE,
      })
      const body = { invoice: `B${at}`, cents: 1 }
      const text = JSON.stringify(body)
      const good = { 'X-Signature': digest(text), 'X-Time': seconds(), 'X-Nonce': 'n1' }
      expect((await post(text, good)).status).toBe(200)
      const bad: readonly Record<string, string>[] = [
        {},
        { ...good, 'X-Signature': '' },
        { ...good, 'X-Signature': digest(text).toUpperCase() },
        { ...good, 'X-Signature': `sha256=${digest(text)}` },
        { ...good, 'X-Signature': digest(text).slice(1) },
        { ...good, 'X-Signature': `${digest(text)}0` },
        { ...good, 'X-Signature': digest(text, 'another secret') },
        { ...good, 'X-Nonce': 'n2', 'X-Time': String(Number(seconds()) - 301) },
        { ...good, 'X-Nonce': 'n3', 'X-Time': String(Number(seconds()) + 301) },
        { ...good, 'X-Nonce': 'n4', 'X-Time': `${seconds()}000` },
        { ...good, 'X-Nonce': 'n5', 'X-Time': 'now' },
        { ...good, 'X-Nonce': '' },
        { ...good, 'X-Nonce': 'n'.repeat(256) },
        good,
      ]
      const answers = new Set<string>()
      for (const headers of bad) {
        const answer = await post(text, headers)
        expect(answer.status, JSON.stringify(headers)).toBe(401)
        const { request_id: _, ...rest } = answer.body
        answers.add(JSON.stringify(rest).replaceAll(/[0-9a-f-]{36}/g, ''))
      }
      expect(answers.size).toBe(1)
      expect([...answers][0]).toContain('SIGNATURE_INVALID')
      expect((await look('log')).items.filter((one: { success: boolean }) => !one.success)).toHaveLength(
        bad.length,
      )
    })

    it('7.1: 404, 413, 415, 400 and 422 come before credentials', async () => {
      await submit({ signature: HMAC, write: WRITE })
      expect((await post({}, {}, 'nobody')).status).toBe(404)
      expect((await post({ a: 'x'.repeat(5000) })).status).toBe(413)
      expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415)
      expect((await post('{"a":')).status).toBe(400)
      expect((await post(`${'['.repeat(70)}${']'.repeat(70)}`)).status).toBe(422)
      expect((await post({})).status).toBe(401)
      await submit({ signature: HMAC, write: WRITE, enabled: false })
      expect((await post({})).status).toBe(404)
    })

    it('7.1, 4.3: an address outside of ip_whitelist is FORBIDDEN, before its credentials', async () => {
      const auth = [{ type: 'ip_whitelist', addresses: ['192.0.2.0/24', '2001:db8::1'] }]
      await submit({ auth, signature: HMAC, write: WRITE })
      expect((await post({})).body.error_code).toBe('FORBIDDEN')
      await submit({
        auth: [{ type: 'ip_whitelist', addresses: ['127.0.0.0/8', '::1'] }],
        signature: HMAC,
        write: WRITE,
      })
      expect((await post({})).body.error_code).toBe('SIGNATURE_INVALID')
      expect(await refused({ auth: { type: 'ip_whitelist', addresses: ['300.0.0.1'] } })).toContain(
        'neither an address',
      )
    })

    it('4.3: api_key, bearer and basic check what comes in', async () => {
      const cases: readonly (readonly [object, Record<string, string>, Record<string, string>])[] = [
        [
          { type: 'api_key', key: '${SVC_DOMAIN_PAY}' },
          { 'X-API-Key': SECRET },
          { 'X-API-Key': `${SECRET}x` },
        ],
        [
          { type: 'bearer', token: '${SVC_DOMAIN_PAY}' },
          { authorization: `Bearer ${SECRET}` },
          { authorization: `Basic ${SECRET}` },
        ],
        [
          { type: 'basic', username: 'ada', password: '${SVC_DOMAIN_PAY}' },
          { authorization: `Basic ${Buffer.from(`ada:${SECRET}`).toString('base64')}` },
          { authorization: `Basic ${Buffer.from('ada:').toString('base64')}` },
        ],
      ]
      for (const [auth, right, wrong] of cases) {
        await submit({ auth, write: WRITE })
        expect((await post({ invoice: `C${at}`, cents: 1 }, wrong)).status).toBe(401)
        expect((await post({ invoice: `C${at}`, cents: 1 }, right)).status).toBe(200)
      }
      expect(await refused({ auth: { type: 'mtls' } })).toContain('fits no webhook')
    })

    it('4.3: a signature is checked by the digest and in the encoding that are written, and by no other', async () => {
      const weak = async (algorithm: string) => {
        const content = definitionOf({ signature: { ...HMAC, algorithm }, write: WRITE })
        const { body } = await server.request('POST', '/api/v1/domains', {
          token: server.admin,
          body: { content },
        })
        return JSON.stringify(body).includes('sha1 is weak')
      }
      expect([await weak('sha384'), await weak('sha1')]).toEqual([false, true])
      const digests = ['sha256', 'sha384', 'sha512', 'sha1'] as const
      const encodings = ['hex', 'base64', 'base64url'] as const
      const ways = digests.flatMap((digest) => encodings.map((encoding) => [digest, encoding] as const))
      // Each of its digests is another one in base64 than in base64url.
      const text = JSON.stringify({ invoice: 'signed-1', cents: 1 })
      const sign = ([algorithm, encoding]: (typeof ways)[number]) =>
        createHmac(algorithm, SECRET).update(text).digest(encoding)
      for (const [algorithm, encoding] of ways) {
        await submit({ signature: { ...HMAC, algorithm, encoding, header: 'X-Digest' }, write: WRITE })
        const taken = []
        for (const way of ways)
          if ((await post(text, { 'X-Digest': sign(way) })).status === 200) taken.push(way)
        expect(taken).toEqual([[algorithm, encoding]])
      }
    })

    it('7.1, 3.1: a webhook without auth must say that it is public, and one without its secret is 503', async () => {
      expect(await refused({ write: WRITE })).toContain('public: true')
      await submit({ public: true, write: WRITE })
      expect((await post({ invoice: `D${at}`, cents: 1 })).status).toBe(200)
      await submit({ signature: { secret: '${SVC_DOMAIN_PAY_NOT_SET:fallback}' }, write: WRITE })
      const text = '{}'
      const answer = await post(text, { 'X-Signature': digest(text, 'fallback') })
      expect([answer.status, answer.body.error_code]).toEqual([503, 'UNAVAILABLE'])
      expect(await refused({ signature: { secret: 'literal' } })).toContain('is a secret')
    })

    it('7.2: one of several secrets has to fit, and the digest is over the raw bytes', async () => {
      await submit({
        signature: {
          secret: ['${SVC_DOMAIN_PAY}', '${SVC_DOMAIN_PAY_OLD}'],
          header: 'X-Hub-Signature-256',
          prefix: 'sha256=',
        },
        write: WRITE,
      })
      const text = `{ "invoice" : "E${at}",\n "cents":5 }`
      for (const secret of [SECRET, VARIABLES.SVC_DOMAIN_PAY_OLD])
        expect((await post(text, { 'X-Hub-Signature-256': `sha256=${digest(text, secret)}` })).status).toBe(
          200,
        )
      const again = JSON.stringify(JSON.parse(text))
      expect((await post(again, { 'X-Hub-Signature-256': `sha256=${digest(text)}` })).status).toBe(401)
    })

    it('7.2: Standard Webhooks are checked, kept from replay, and told by their id', async () => {
      await submit({ signature: { secret: '${SVC_DOMAIN_STANDARD}', scheme: 'standard' }, write: WRITE })
      const key = Buffer.from(STANDARD.slice(6), 'base64')
      const headersOf = (id: string, text: string, time = seconds()) => ({
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': `v1,bm9uZQ== v1,${createHmac('sha256', key).update(`${id}.${time}.${text}`).digest('base64')}`,
      })
      const text = JSON.stringify({ invoice: `F${at}`, cents: 7 })
      expect((await post(text, headersOf('msg_1', text))).body.data.duplicate).toBe(false)
      expect((await post(text, headersOf('msg_1', text))).body.data).toEqual({
        received: true,
        duplicate: true,
      })
      expect((await post(text, headersOf('msg_2', text, String(Number(seconds()) - 400)))).status).toBe(401)
      expect((await post(text, { ...headersOf('msg_3', text), 'webhook-id': 'msg_4' })).status).toBe(401)
    })

    it('7.2: stripe signs its timestamp and the body', async () => {
      await submit({ signature: { secret: '${SVC_DOMAIN_PAY}', scheme: 'stripe' }, write: WRITE })
      const text = JSON.stringify({ invoice: `G${at}`, cents: 7 })
      const of = (time: string) => ({
        'Stripe-Signature': `t=${time},v1=${digest(`${time}.${text}`)},v0=none`,
      })
      expect((await post(text, of(seconds()))).status).toBe(200)
      expect((await post(text, of(String(Number(seconds()) - 301)))).status).toBe(401)
      expect((await post(text, { 'Stripe-Signature': `v1=${digest(text)}` })).status).toBe(401)
    })

    it('7.3: a nonce counts once, of twenty at once one', async () => {
      await submit({
        signature: { ...HMAC, content: '{nonce}.{timestamp}.{body}' },
        replayProtection: { timestampHeader: 'X-Time', nonceHeader: 'X-Nonce', maxAge: '1m' },
        write: { ...WRITE, action: 'create', match: undefined },
      })
      const text = JSON.stringify({ invoice: `H${at}`, cents: 7 })
      const time = seconds()
      const headers = {
        'X-Time': time,
        'X-Nonce': 'once',
        'X-Signature': digest(`once.${time}.${text}`),
      }
      const all = await Promise.all(Array.from({ length: 20 }, () => post(text, headers)))
      expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(all.filter(({ status }) => status === 401)).toHaveLength(19)
      // What was signed with another moment is another message.
      expect((await post(text, { ...headers, 'X-Time': String(Number(time) + 1) })).status).toBe(401)
      expect(await refused({ signature: HMAC, write: WRITE, replayProtection: {} })).toContain(
        'Name one of them',
      )
    })

    it('7.4: what a message is told by counts once within a week, and null is not told', async () => {
      await submit({ signature: HMAC, dedupe: '$payload.id', write: { ...WRITE, action: 'upsert' } })
      const first = { id: 7, invoice: `I${at}`, cents: 1 }
      expect((await signed(first)).body.data.duplicate).toBe(false)
      expect((await signed({ ...first, cents: 2 })).body.data).toEqual({ received: true, duplicate: true })
      expect(await invoices(`I${at}`)).toMatchObject([{ paid: 1 }])
      expect((await signed({ ...first, id: '7', cents: 3 })).body.data.duplicate).toBe(false)
      for (const cents of [4, 5])
        expect((await signed({ id: null, invoice: `I${at}`, cents })).body.data.duplicate).toBe(false)
      server.clock.advance(7 * 86_400_000 + 1)
      expect((await signed({ ...first, cents: 6 })).body.data.duplicate).toBe(false)
      expect(await invoices(`I${at}`)).toMatchObject([{ paid: 6 }])
    })

    it('7.5: all operations whose when holds run in written order, and the answer may be the definition’s own', async () => {
      await submit({
        signature: HMAC,
        operations: {
          paid: { when: '$payload.type == "paid"', write: WRITE },
          noted: {
            when: '$payload.cents > 10',
            write: { ...WRITE, mapping: { number: '$payload.invoice', note: 'much: {$payload.cents}' } },
          },
        },
        response: {
          status: 201,
          body: { ok: true, invoice: '$mapped.number', note: '$mapped.note', cents: '$mapped.paid' },
        },
      })
      const { status, body } = await signed({ type: 'paid', invoice: `J${at}`, cents: 20 })
      expect([status, body]).toEqual([201, { ok: true, invoice: `J${at}`, note: 'much: 20', cents: 20 }])
      expect(await invoices(`J${at}`)).toMatchObject([{ paid: 20, note: 'much: 20' }])
    })

    it('7.5: what cannot be written is a dead letter and 202, and is mapped anew when it is retried', async () => {
      await submit({ signature: HMAC, dedupe: '$payload.id', write: WRITE })
      const { status, body } = await signed({ id: 1, invoice: `K${at}`, cents: -1 })
      expect([status, body.data]).toEqual([
        202,
        { received: true, id: expect.any(String), deadLetterId: expect.any(String) },
      ])
      const path = `deadletter/${body.data.deadLetterId}`
      expect(await look(path)).toMatchObject({
        direction: 'inbound',
        operation: null,
        status: 'pending',
        request: null,
        payload: { id: 1, invoice: `K${at}`, cents: -1 },
        error: { code: 'VALIDATION_ERROR' },
      })
      expect((await signed({ id: 1, invoice: `K${at}`, cents: -1 })).body.data.duplicate).toBe(true)
      expect((await manage(`${path}/retry`)).status).toBe(422)
      await submit({
        signature: HMAC,
        write: { ...WRITE, mapping: { number: '$payload.invoice', paid: '$(0 - $payload.cents)' } },
      })
      expect((await manage(`${path}/retry`)).body.data.status).toBe('retried')
      expect(await invoices(`K${at}`)).toMatchObject([{ paid: 1 }])
      await submit({ signature: HMAC, write: WRITE, deadLetter: { enabled: false } })
      expect((await signed({ invoice: `L${at}`, cents: -1 })).body.error_code).toBe('VALIDATION_ERROR')
    })

    it('7.4, 7.5: with dead letters off, what failed may come again, and what was done counts once all the same', async () => {
      const webhook = { signature: HMAC, dedupe: '$payload.id', deadLetter: { enabled: false } }
      await submit({ ...webhook, write: { ...WRITE, action: 'update' } })
      const message = { id: 1, invoice: `P${at}`, cents: 5 }
      expect((await signed(message)).status).toBe(404)
      await server.request('POST', '/api/v1/shop/invoices', { body: { number: `P${at}` } })
      expect((await signed(message)).body.data).toMatchObject({ received: true, duplicate: false })
      for (const cents of [6, -1])
        expect((await signed({ ...message, cents })).body.data).toEqual({ received: true, duplicate: true })
      expect(await invoices(`P${at}`)).toMatchObject([{ paid: 5 }])
    })

    it('7.5, 7.6: async keeps a message and answers before it is written', async () => {
      await submit({ signature: HMAC, respond: 'async', dedupe: '$payload.id', write: WRITE })
      const { status, body } = await signed({ id: 1, invoice: `M${at}`, cents: 3 })
      expect([status, body.data]).toEqual([202, { received: true, id: expect.any(String) }])
      expect((await signed({ id: 1, invoice: `M${at}`, cents: 3 })).body.data.duplicate).toBe(true)
      expect(await invoices(`M${at}`)).toEqual([])
      await server.kernel.callAs(SYSTEM)('jobs.tick', {})
      expect(await invoices(`M${at}`)).toMatchObject([{ paid: 3 }])
      expect((await look(`runs/${body.data.id}`)).status).toBe('succeeded')
    })

    it('7.6: rateLimit counts what comes in and knows reject alone', async () => {
      const rateLimit = { requestsPerSecond: 0.01, burstSize: 2 }
      await submit({ signature: HMAC, rateLimit, write: WRITE })
      const answers = []
      for (let n = 0; n < 3; n++) answers.push((await signed({ invoice: `N${at}`, cents: n })).status)
      expect(answers).toEqual([200, 200, 429])
      expect(
        await refused({ signature: HMAC, write: WRITE, rateLimit: { ...rateLimit, onExceeded: 'queue' } }),
      ).toContain('is reject of a webhook')
    })

    it('7.1: a form is a map of texts, and text is text', async () => {
      await submit({ public: true, format: 'form', write: { ...WRITE, mapping: { number: '$payload.n' } } })
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      expect((await post(`n=O${at}&x=1`, form)).status).toBe(200)
      expect((await post('{}')).status).toBe(415)
      await submit({ public: true, format: 'text', write: { ...WRITE, mapping: { number: '$payload' } } })
      expect((await post(`P${at}`, { 'content-type': 'text/plain; charset=utf-8' })).status).toBe(200)
      expect(await invoices(`P${at}`)).toHaveLength(1)
    })

    it('6.5, 6.6: an operation can be done by hand with a message, and a dry run writes nothing', async () => {
      await submit({ signature: HMAC, operations: { paid: { write: WRITE } } })
      const payload = { invoice: `Q${at}`, cents: 4 }
      const dry = await manage('operations/paid', { payload, dryRun: true })
      expect(dry.body.data).toEqual({
        dryRun: true,
        written: [
          {
            resource: 'Invoice',
            action: 'upsert',
            match: ['number'],
            values: { number: `Q${at}`, paid: 4 },
          },
        ],
      })
      expect(await invoices(`Q${at}`)).toEqual([])
      const done = await manage('operations/paid', { payload })
      expect(done.body.data).toMatchObject({ success: true, written: [{ action: 'create' }] })
      expect((await manage('operations/paid', {})).body.errors[0]).toMatchObject({
        field: 'payload',
        rule: 'required',
      })
    })

    it('3.2: no table, log or answer holds a secret of a message', async () => {
      await submit({ auth: { type: 'api_key', key: '${SVC_DOMAIN_PAY}' }, write: WRITE })
      const { body } = await post({ invoice: `R${at}`, cents: -1, note: SECRET }, { 'X-API-Key': SECRET })
      const shown = JSON.stringify([
        body,
        await look('log'),
        await look('deadletter'),
        server.log.map((entry) => entry),
      ])
      expect(shown).not.toContain(SECRET)
    })

    it('3.2: what a message authorizes itself by, and its cookies, are written nowhere', async () => {
      const names = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-plain']
      const note = names.map((one) => `{$headers['${one}']}`).join(' ')
      const write = { ...WRITE, mapping: { ...WRITE.mapping, note } }
      await submit({ public: true, operations: { paid: { write } } })
      const headers = Object.fromEntries(names.map((one) => [one, 'b1scuit']))
      const hidden = `${'[REDACTED] '.repeat(4)}b1scuit`
      await post({ invoice: `Q${at}`, cents: 1 }, headers)
      expect(await invoices(`Q${at}`)).toMatchObject([{ note: hidden }])
      const payload = { invoice: `Q${at}`, cents: 2 }
      const dry = await manage('operations/paid', { payload, headers, dryRun: true })
      expect(dry.body.data.written).toMatchObject([{ values: { note: hidden } }])
      await manage('operations/paid', { payload, headers: { ...headers, Cookie: 'b1scuit' } })
      expect(await invoices(`Q${at}`)).toMatchObject([{ paid: 2, note: hidden }])
    })

    // The last one: the administrator's session ends as well in so long a time.
    it('7.3: a nonce without a moment counts for 30 days, and a header that nothing signs draws a warning', async () => {
      const webhook = { signature: HMAC, replayProtection: { nonceHeader: 'X-Nonce' }, write: WRITE }
      const { body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf(webhook) },
      })
      expect(JSON.stringify(body)).toContain("does not sign the header 'X-Nonce'")
      await submit({ ...webhook, signature: { ...HMAC, content: '{nonce}.{body}' } })
      const text = JSON.stringify({ invoice: `R${at}`, cents: 1 })
      const send = async () =>
        (await post(text, { 'X-Nonce': 'n', 'X-Signature': digest(`n.${text}`) })).status
      expect([await send(), await send()]).toEqual([200, 401])
      server.clock.advance(30 * 86_400_000 - 1000)
      expect(await send()).toBe(401)
      server.clock.advance(2000)
      expect(await send()).toBe(200)
    })
  })
}
