import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Judge, startSmtp, type TestSmtp } from '../../kit/smtp.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { messages, STILL, tick } from './outbox.ts'
import { tell } from './tell.ts'

/** One notification for each way to name recipients; an order says by `kind` which one it raises. */
const WAYS: Readonly<Record<string, string>> = {
  roles: '{ roles: [cook, guest] }',
  contact: '{ field: contact }',
  nobody: '{ field: [contact, buyer] }',
  every: "{ field: [contact, others, buyer, customer.contact, '$user.email'] }",
}
const telling = Object.entries(WAYS).map(
  ([name, recipients]) => `
    ${name}:
      resource: Order
      when: kind == '${name}'
      notification:
        channels: [${name === 'roles' ? 'mail' : 'email'}]
        recipients: ${recipients}
        template: { subject: 'Order {title}', body: 'It costs {total}.' }`,
)
const SHOP = `
domain:
  name: shop
  version: '1'
  resources:
    Customer:
      object: { name: string, contact: string }
      permissions: { create: ['*'] }
    Order:
      object:
        kind: string
        title: text
        total: integer
        contact: text
        others: { type: array, items: string }
        buyer: uuid
      relationships: { customer: { type: belongsTo, target: Customer } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
  tell:${telling.join('')}
`

for (const store of STORES) {
  describe(`the channel email on ${store.name}`, () => {
    let mail: TestSmtp
    let server: TestKernel
    let judge: Judge
    beforeAll(async () => {
      mail = await startSmtp({}, (received) => judge(received))
      server = await startTestKernel({
        store,
        plugins: [tell],
        definition: SHOP,
        config: {
          ...STILL,
          auth: {
            jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 864_000 },
          },
          email: {
            enabled: true,
            smtp_host: '127.0.0.1',
            smtp_port: mail.port,
            from_address: 'Shop <shop@example.org>',
            use_tls: false,
          },
        },
      })
    })
    afterAll(async () => {
      await server.stop()
      await mail.stop()
    })
    let before: number
    beforeEach(async () => {
      judge = () => undefined
      await tick(server)
      before = mail.received.length
      // Lists begin with what this test raises.
      server.clock.advance(1000)
    })

    const order = async (kind: string, body: object = {}, expected = 201): Promise<string> => {
      const { request, admin } = server
      const answer = await request('POST', '/api/v1/shop/orders', {
        token: admin,
        body: { kind, title: 'Nails', total: 12, ...body },
      })
      expect([answer.status, answer.body]).toMatchObject([expected, {}])
      return answer.body.data?.id
    }
    const of = (id: string) => messages(server, `?recordId=${id}`)
    const sentTo = () =>
      received()
        .flatMap(({ recipients }) => recipients)
        .sort()
    const received = () => mail.received.slice(before)

    it('N2: every active account with one of the roles gets a message of its own when it is sent', async () => {
      await server.account('ada', ['cook', 'guest'])
      await server.account('bea', ['guest'])
      await server.account('cleo')
      await server.account('dan', ['cook'])
      const id = await order('roles')
      await server.request('POST', '/api/v1/admin/users/dan/suspend', { token: server.admin })
      await tick(server)
      expect(sentTo()).toEqual(['ada@example.org', 'bea@example.org'])
      for (const { mail: got } of received())
        expect([got.subject, got.text?.trim()]).toEqual(['Order Nails', 'It costs 12.'])
      expect((await of(id)).map(({ status, recipient }) => `${recipient} ${status}`).sort()).toEqual([
        'ada@example.org sent',
        'bea@example.org sent',
      ])
    })

    it("N2: fields hold addresses, users' ids, and lists of them; one message for each address", async () => {
      const { id: buyer } = await server.account('emil')
      const customer = await server.request('POST', '/api/v1/shop/customers', {
        body: { contact: 'gus@example.org' },
      })
      await order('every', {
        contact: 'flo@example.org',
        others: ['FLO@example.org', 'hal@example.org', 'emil@example.org'],
        buyer,
        customerId: customer.body.data.id,
      })
      await tick(server)
      const names = ['admin', 'emil', 'flo', 'gus', 'hal']
      expect(sentTo()).toEqual(names.map((name) => `${name}@example.org`))
    })

    it('N2: where nobody is left to write to, one entry has failed with NO_RECIPIENT', async () => {
      const id = await order('nobody', { buyer: '0199c9a5-0000-7000-8000-000000000000' })
      await tick(server)
      expect(await of(id)).toMatchObject([
        { status: 'failed', recipient: null, error: { code: 'NO_RECIPIENT' }, nextAttemptAt: null },
      ])
    })

    it('N4: a refused write sends nothing', async () => {
      const all = (await messages(server)).length
      await order('contact', { total: 'much', contact: 'a@example.org' }, 422)
      await tick(server)
      expect([(await messages(server)).length, received()]).toEqual([all, []])
    })

    it('N5: the Message-ID is made of the entry and is the same at each try', async () => {
      const replies: (number | undefined)[] = [451]
      judge = () => replies.shift()
      const id = await order('contact', { contact: 'a@example.org' })
      await tick(server)
      expect(await of(id)).toMatchObject([{ status: 'pending', attempts: 1, responseStatus: 451 }])
      server.clock.advance(5_000)
      await tick(server)
      const [sent] = await of(id)
      expect(sent).toMatchObject({ status: 'sent', attempts: 2, error: null })
      expect(received().map(({ mail: { messageId } }) => messageId)).toEqual(
        Array(2).fill(`<${sent!.id}@example.org>`),
      )
    })

    it.each([
      ['two addresses', 'a@example.org, b@example.org'],
      ['a line break', 'a@example.org\r\nBcc: b@example.org'],
      ['a name beside it', 'Ada <a@example.org>'],
      ['10,000 characters', `${'a'.repeat(10_000)}@example.org`],
      ['nothing like it', 'nobody'],
    ])('N5: what is not exactly one address, with %s, fails with INVALID_ADDRESS', async (_, contact) => {
      const id = await order('contact', { contact })
      await tick(server)
      expect(await of(id)).toMatchObject([
        { status: 'failed', error: { code: 'INVALID_ADDRESS' }, nextAttemptAt: null },
      ])
      expect(received()).toEqual([])
    })

    it('N5: a title can be neither header, template nor expression, and the mail is plain text', async () => {
      const title = 'One\r\nBcc: eve@example.org\r\n\r\n{total} $(1+1) <b>'
      await order('contact', { title, contact: 'a@example.org' })
      await tick(server)
      expect(sentTo()).toEqual(['a@example.org'])
      const [{ mail: got } = expect.fail()] = received()
      expect(got.subject).toBe('Order One  Bcc: eve@example.org    {total} $(1+1) <b>')
      expect(got.headers.map(({ key }) => key)).not.toContain('bcc')
      expect(got.html).toBeUndefined()
    })

    it('N7: what fails for now is tried again after each of the pauses, and then has failed', async () => {
      judge = () => 452
      const id = await order('contact', { contact: 'a@example.org' })
      await tick(server)
      const pauses = [5, 300, 1800, 7200, 18_000, 36_000, 36_000]
      for (const [at, pause] of pauses.entries()) {
        const next = new Date(server.clock.now() + pause * 1000).toISOString()
        const waiting = { status: 'pending', attempts: at + 1, nextAttemptAt: next }
        expect(await of(id)).toMatchObject([waiting])
        server.clock.advance(pause * 1000 - 1)
        await tick(server)
        expect(await of(id)).toMatchObject([waiting])
        server.clock.advance(1)
        await tick(server)
      }
      expect(await of(id)).toMatchObject([
        {
          status: 'failed',
          attempts: 8,
          nextAttemptAt: null,
          responseStatus: 452,
          error: { code: 'UPSTREAM_FAILED' },
        },
      ])
    })

    it('N7: what the mail server refuses for good has failed at once', async () => {
      judge = () => 550
      const id = await order('contact', { contact: 'a@example.org' })
      await tick(server)
      expect(await of(id)).toMatchObject([{ status: 'failed', attempts: 1, responseStatus: 550 }])
    })

    it('N7: a mail server that dies after the last byte is tried again, under the same id', async () => {
      judge = () => 'die'
      const id = await order('contact', { contact: 'a@example.org' })
      await tick(server)
      expect(await of(id)).toMatchObject([{ status: 'pending', attempts: 1, responseStatus: null }])
      judge = () => undefined
      server.clock.advance(5_000)
      await tick(server)
      expect(await of(id)).toMatchObject([{ status: 'sent', attempts: 2 }])
      const [first, second] = received().map(({ mail: { messageId } }) => messageId)
      expect(first).toBe(second)
    })

    it('A15: a notification reaches at most 1,000 recipients', async () => {
      const others = Array.from({ length: 1001 }, (_, at) => `a${at}@example.org`)
      const id = await order('every', { others })
      await tick(server)
      expect(await of(id)).toMatchObject([{ status: 'failed', error: { code: 'TOO_MANY_RECIPIENTS' } }])
      expect(received()).toEqual([])
    })

    it('N9: a message is sent again as it was written, under an id of its own', async () => {
      const id = await order('contact', { contact: 'a@example.org' })
      const [waiting] = await of(id)
      const resend = (entry: string) =>
        server.request('POST', `/api/v1/shop/notifications/${entry}/resend`, { token: server.admin })
      expect((await resend(waiting!.id)).status).toBe(409)
      await tick(server)
      const { status, body } = await resend(waiting!.id)
      expect([status, body.data]).toMatchObject([
        201,
        {
          resendOf: waiting!.id,
          status: 'pending',
          subject: 'Order Nails',
          recipient: 'a@example.org',
          attempts: 0,
        },
      ])
      expect(body.data.id).not.toBe(waiting!.id)
      await tick(server)
      expect((await of(id)).map((one) => one.status)).toEqual(['sent', 'sent'])
      expect(received().map(({ mail: got }) => got.subject)).toEqual(['Order Nails', 'Order Nails'])
      expect((await resend('0199c9a5-0000-7000-8000-000000000000')).status).toBe(404)
      const once = async () => {
        const path = `/api/v1/shop/notifications/${waiting!.id}/resend`
        const headers = { 'Idempotency-Key': 'again' }
        return (await server.request('POST', path, { token: server.admin, headers })).body.data.id
      }
      expect(await once()).toBe(await once())
    })

    it("A11: an account's removal takes along the messages addressed to it", async () => {
      const { token } = await server.account('zoe', ['guest'])
      await server.account('yan', ['guest'])
      const id = await order('roles')
      await tick(server)
      expect((await of(id)).map(({ recipient }) => recipient)).toContain('zoe@example.org')
      const removal = await server.request('DELETE', '/api/v1/auth/account', { token })
      expect(removal.status).toBeLessThan(300)
      const left = (await of(id)).map(({ recipient }) => recipient)
      expect(left).not.toContain('zoe@example.org')
      expect(left).toContain('yan@example.org')
    })
  })
}
