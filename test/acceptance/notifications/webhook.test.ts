import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { messages, STILL, tick } from './outbox.ts'
import { tell } from './tell.ts'

const SECRET = `whsec_${Buffer.from('a key of thirty-two bytes, about.').toString('base64')}`

const shop = (channel: string) => `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { title: string, total: integer, cost: integer, contact: string }
      permissions: { create: ['*'], fields: { cost: { read: [keeper] } } }
  tell:
    it:
      resource: Order
      notification:
        channels: [${channel}]
        recipients: { roles: [keeper], field: contact }
        template: { subject: 'Order {title}', body: '{title} costs {cost}.' }
`

for (const store of STORES) {
  describe(`the channel webhook on ${store.name}`, () => {
    let sink: Sink
    let server: TestKernel
    let answer: () => SinkAnswer
    beforeAll(async () => {
      sink = await startSink(() => answer())
      process.env['SVC_DOMAIN_HOOK'] = `${sink.url}/in/shop?token=qu3ry`
      process.env['SVC_DOMAIN_HOOK_SECRET'] = SECRET
      process.env['SVC_DOMAIN_HOOK_KEY'] = 'h3ader'
      server = await startTestKernel({
        store,
        plugins: [tell],
        config: {
          ...STILL,
          auth: {
            jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 864_000 },
          },
          outbound: { allow_private: ['127.0.0.1'] },
          notifications: { timeout_ms: 300 },
        },
        definition: shop(
          "{ type: webhook, url: '${SVC_DOMAIN_HOOK}', secret: '${SVC_DOMAIN_HOOK_SECRET}', headers: { X-Api-Key: '${SVC_DOMAIN_HOOK_KEY}' } }",
        ),
      })
      await server.account('keeper', ['keeper'])
    })
    afterAll(async () => {
      await server.stop()
      await sink.stop()
      for (const name of ['HOOK', 'HOOK_SECRET', 'HOOK_KEY']) delete process.env[`SVC_DOMAIN_${name}`]
    })
    let before: number
    beforeEach(() => {
      answer = () => ({ status: 204 })
      before = sink.received.length
      server.clock.advance(1000)
    })
    const received = () => sink.received.slice(before)
    const order = async (body: object = {}): Promise<string> => {
      const values = { title: 'Nails', total: 12, cost: 4, contact: 'a@example.org', ...body }
      const made = await server.request('POST', '/api/v1/shop/orders', { body: values })
      expect(made).toMatchObject({ status: 201 })
      return made.body.data.id
    }
    const of = (id: string) => messages(server, `?recordId=${id}`)
    const submit = (content: string) =>
      server.request('POST', '/api/v1/domains', { token: server.admin, body: { content } })

    it('N6: one POST, however many recipients, signed as Standard Webhooks say', async () => {
      const id = await order()
      const at = new Date(server.clock.now()).toISOString()
      await tick(server)
      const [entry] = await of(id)
      expect(entry).toMatchObject({
        status: 'sent',
        responseStatus: 204,
        recipient: `${sink.url}/in/shop`,
        body: 'Nails costs .',
        sentAt: at,
      })
      expect(received()).toHaveLength(1)
      const [{ method, path, headers, body } = expect.fail()] = received()
      expect([method, path, headers['content-type'], headers['x-api-key']]).toEqual([
        'POST',
        '/in/shop?token=qu3ry',
        'application/json',
        'h3ader',
      ])
      expect(headers['webhook-id']).toBe(entry!.id)
      expect(headers['idempotency-key']).toBe(entry!.id)
      const timestamp = String(Math.floor(server.clock.now() / 1000))
      expect(headers['webhook-timestamp']).toBe(timestamp)
      const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
      const digest = createHmac('sha256', key).update(`${entry!.id}.${timestamp}.${body}`).digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${digest}`)
      expect(JSON.parse(body)).toEqual({
        id: entry!.id,
        source: { kind: 'rule', name: 'it', step: null },
        domain: 'shop',
        resource: 'Order',
        recordId: id,
        record: expect.objectContaining({ id, title: 'Nails', total: 12, contact: 'a@example.org' }),
        subject: 'Order Nails',
        body: 'Nails costs .',
        recipients: ['keeper@example.org', 'a@example.org'],
        at,
      })
      expect(body).not.toContain('"cost"')
    })

    it.each([
      ['500', { status: 500 }, 'pending', 5_000],
      ['429', { status: 429 }, 'pending', 5_000],
      ['408', { status: 408 }, 'pending', 5_000],
      ['425', { status: 425 }, 'pending', 5_000],
      ['429 with a longer Retry-After', { status: 429, headers: { 'retry-after': '90' } }, 'pending', 90_000],
      ['503 with a shorter Retry-After', { status: 503, headers: { 'retry-after': '1' } }, 'pending', 5_000],
      ['nothing', 'hang', 'pending', 5_000],
      ['an end of the connection', 'die', 'pending', 5_000],
      ['400', { status: 400 }, 'failed', null],
      ['410', { status: 410 }, 'failed', null],
      ['a redirect', { status: 307, headers: { location: '/elsewhere' } }, 'failed', null],
    ] as const)('N7: after %s', async (_, said, status, pause) => {
      answer = () => said
      const id = await order()
      await tick(server)
      const next = pause === null ? null : new Date(server.clock.now() + pause).toISOString()
      const [entry] = await of(id)
      expect(entry).toMatchObject({ status, attempts: 1, nextAttemptAt: next })
      expect(entry!.responseStatus).toBe(typeof said === 'string' ? null : said.status)
      expect(entry!.error!.code).toBe(said === 'hang' ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_FAILED')
      if (pause === null) return
      answer = () => ({ status: 200 })
      server.clock.advance(pause)
      await tick(server)
      expect(await of(id)).toMatchObject([{ status: 'sent', attempts: 2, error: null, responseStatus: 200 }])
      const ids = received().map(({ headers }) => headers['webhook-id'])
      expect(new Set(ids)).toEqual(new Set([entry!.id]))
      expect(received().map(({ body }) => body)).toEqual(received().map(() => received()[0]!.body))
    })

    it('N8, [3.2]: secrets, headers and queries stand in no answer, log or error, and in no table', async () => {
      answer = () => ({ status: 400 })
      const id = await order()
      await tick(server)
      const { body } = await server.request('GET', '/api/v1/domains/shop/source')
      const shown = JSON.stringify([await of(id), server.log, body])
      for (const secret of ['qu3ry', SECRET, 'h3ader']) expect(shown).not.toContain(secret)
    })

    it('N9: sent again, it has an id of its own and the same words', async () => {
      const id = await order()
      await tick(server)
      const [first] = await of(id)
      const resent = await server.request('POST', `/api/v1/shop/notifications/${first!.id}/resend`, {
        token: server.admin,
      })
      expect(resent.body.data).toMatchObject({ resendOf: first!.id, recipient: first!.recipient })
      await tick(server)
      const [one, two] = received().map(({ body }) => JSON.parse(body))
      expect(two).toEqual({ ...one, id: resent.body.data.id })
      expect(one.id).toBe(first!.id)
    })

    it.each([
      [
        'a secret that is written out',
        "{ type: webhook, url: 'https://example.org', secret: hush }",
        'secret',
      ],
      ['no url', '{ type: webhook }', 'url'],
      ['a url in the clear', "{ type: webhook, url: 'http://93.184.216.34/x', headers: { A: b } }", 'url'],
      ['a private address', "{ type: webhook, url: 'https://10.0.0.1/x' }", 'url'],
      ['a private address in another spelling', "{ type: webhook, url: 'https://0xa.1/x' }", 'url'],
      ['another scheme', "{ type: webhook, url: 'ftp://example.org' }", 'url'],
      ['a user in the url', "{ type: webhook, url: 'https://a:b@example.org' }", 'url'],
      [
        'a header of its own',
        "{ type: webhook, url: 'https://example.org', headers: { Webhook-Id: x } }",
        'Webhook-Id',
      ],
      [
        'a header with a line break',
        '{ type: webhook, url: "https://example.org", headers: { A: "b\\r\\nC: d" } }',
        'one line',
      ],
    ])('N1, [3.1], C2.5: %s is PARSE_ERROR', async (_, channel, message) => {
      const { status, body } = await submit(shop(channel))
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body.errors)).toContain(message)
    })

    it('N7, C2.7: an address that is refused has failed with ADDRESS_REFUSED, without another try', async () => {
      const { status } = await submit(shop("{ type: webhook, url: 'https://refused.internal/x' }"))
      expect(status).toBe(201)
      server.clock.lookUp = () => Promise.resolve(['10.1.2.3'])
      const id = await order()
      await tick(server)
      expect(await of(id)).toMatchObject([
        { status: 'failed', attempts: 1, error: { code: 'ADDRESS_REFUSED' }, nextAttemptAt: null },
      ])
    })
  })
}
