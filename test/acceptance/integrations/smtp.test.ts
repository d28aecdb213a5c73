import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { AUTHORITY, type Judge, startSmtp, type TestSmtp } from '../../kit/smtp.ts'
import { STORES } from '../../kit/stores.ts'
import type { TestKernel } from '../../kit/test-kernel.ts'
import { closeDesk, type Desk, openDesk } from '../files/desk.ts'
import { PLACES } from '../files/places.ts'

const RESOURCES = {
  Order: {
    object: {
      number: 'string',
      mail: 'string',
      others: { type: 'array', items: 'string' },
      note: 'string',
      slip: 'string',
      sent: 'string',
      secret: 'string',
    },
    permissions: { create: ['*'], get: ['*'], list: ['*'], fields: { secret: { read: ['buyer'] } } },
  },
}
const PASSWORD = 'the-pass-w0rd-of-the-post'

for (const store of STORES) {
  describe(`integrations of type smtp on ${store.name}`, () => {
    let desk: Desk
    let server: TestKernel
    let post: TestSmtp
    let judge: Judge = () => undefined
    let known: unknown
    beforeAll(async () => {
      process.env['SVC_DOMAIN_POST_PASSWORD'] = PASSWORD
      post = await startSmtp(
        {
          authOptional: true,
          onAuth({ username, password }, _, done) {
            known = { username, password }
            done(null, { user: username })
          },
        },
        (mail) => judge(mail),
      )
      const [disk] = PLACES
      desk = await openDesk(
        store,
        disk!,
        {},
        {
          jobs: { enabled: false },
          outbound: { allow_private: ['localhost', '127.0.0.1'] },
        },
      )
      server = desk.server
    })
    afterAll(async () => {
      await closeDesk(desk)
      await post.stop()
      delete process.env['SVC_DOMAIN_POST_PASSWORD']
    })
    afterEach(() => {
      judge = () => undefined
    })
    const definitionOf = (operation: object, more: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: RESOURCES,
          media: {},
          integrations: {
            post: {
              type: 'smtp',
              host: 'localhost',
              port: post.port,
              from: 'shop@example.org',
              ca: readFileSync(AUTHORITY, 'utf8'),
              ...more,
              operations: { tell: { resource: 'Order', ...operation } },
            },
          },
        },
      })
    const submit = (operation: object, more: object = {}) => server.submit(definitionOf(operation, more))
    const refused = async (operation: object, more: object = {}) => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf(operation, more) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const send = (method: string, path: string, body?: object, token = server.admin) =>
      server.request(method, `/api/v1/shop/${path}`, { token, ...(body && { body }) })
    const order = async (values: object): Promise<string> =>
      (await send('POST', 'orders', values)).body.data.id
    const tell = (recordId: string, more: object = {}) =>
      send('POST', 'integrations/post/operations/tell', { recordId, ...more })
    const MAIL = { to: '$record.mail', subject: 'Order {number}', text: 'Dear {mail},\nyour order {number}.' }

    it('8.2: a mail is handed over, its Message-ID made of the run', async () => {
      await submit(
        {
          ...MAIL,
          cc: ['$record.others', 'fix@example.org'],
          bcc: 'hidden@example.org',
          html: '<p>Order <b>{number}</b>: {note}</p>',
          write: { mapping: { sent: '$response.messageId' } },
        },
        {
          replyTo: 'answers@example.org',
          auth: { type: 'basic', username: 'shop', password: '${SVC_DOMAIN_POST_PASSWORD}' },
        },
      )
      const values = {
        number: 'A1',
        mail: 'ann@example.org',
        others: ['b@example.org', 'c@example.org'],
        note: '<i> & "x"',
      }
      const id = await order(values)
      const before = post.received.length
      const { status, body } = await tell(id)
      expect(status, JSON.stringify(body)).toBe(200)
      const { runId, response } = body.data
      expect(body.data).toMatchObject({ success: true, attempts: 1, status: 250 })
      const messageId = `<${runId}@example.org>`
      expect(response).toEqual({
        messageId,
        accepted: [
          'ann@example.org',
          'b@example.org',
          'c@example.org',
          'fix@example.org',
          'hidden@example.org',
        ],
        rejected: [],
        reply: expect.stringMatching(/^250 /),
      })
      expect(post.received.length).toBe(before + 1)
      const got = post.received.at(-1)
      expect(got?.recipients).toEqual(response.accepted)
      expect([got?.secure, known]).toEqual([true, { username: 'shop', password: PASSWORD }])
      expect(got?.mail).toMatchObject({
        subject: 'Order A1',
        from: { address: 'shop@example.org' },
        replyTo: [{ address: 'answers@example.org' }],
        to: [{ address: 'ann@example.org' }],
        messageId,
      })
      expect(got?.raw).not.toContain('hidden@')
      expect(got?.mail.text).toContain('your order A1.')
      expect(got?.mail.html).toContain('<p>Order <b>A1</b>: &lt;i&gt; &amp; &quot;x&quot;</p>')
      expect((await send('GET', `orders/${id}`)).body.data.sent).toBe(messageId)
      const { items } = (await send('GET', `integrations/post/log?recordId=${id}`)).body.data
      expect(items).toMatchObject([
        { method: 'SEND', url: `smtp://localhost:${post.port}`, responseStatus: 250 },
      ])
      expect(JSON.stringify(items)).not.toContain(PASSWORD)
    })

    it('8.2: each value is exactly one address, and there are fifty at most', async () => {
      await submit({ ...MAIL, cc: '$record.others' })
      const before = post.received.length
      const wrong = [
        'a@x.org, b@x.org',
        'Ann <a@x.org>',
        'nobody',
        'a@x.org\r\nBcc: b@x.org',
        '"a b"@x.org',
        'a@b@c',
      ]
      for (const mail of wrong) {
        const { status, body } = await tell(await order({ number: '1', mail }))
        expect([mail, status, body.errors?.[0]]).toMatchObject([mail, 422, { field: 'to', rule: 'mapping' }])
      }
      const none = await tell(await order({ number: '1' }))
      expect([none.status, none.body.errors[0].rule]).toEqual([422, 'mapping'])
      const others = Array.from({ length: 50 }, (_, at) => `p${at}@example.org`)
      const many = await tell(await order({ number: '1', mail: 'a@x.org', others }))
      expect([many.status, many.body.errors[0].rule]).toEqual([422, 'mapping'])
      const line = await tell(await order({ number: '1\r\nBcc: x@y.org', mail: 'a@x.org' }))
      expect([line.status, line.body.errors[0]]).toMatchObject([422, { field: 'subject', rule: 'mapping' }])
      expect(post.received.length).toBe(before)
    })

    it('8.2: a reply of 4xx is tried again like a 503, one of 5xx never', async () => {
      await submit(MAIL, { retry: { maxAttempts: 3, backoff: 'fixed', baseDelay: '1ms' } })
      const id = await order({ number: 'B1', mail: 'ann@example.org' })
      let count = 0
      judge = () => ((count += 1) < 3 ? 451 : undefined)
      const { status, body } = await tell(id)
      expect([status, body.data.attempts, count]).toEqual([200, 3, 3])
      const ids = post.received.slice(-3).map(({ mail }) => mail.messageId)
      expect(new Set(ids).size).toBe(1)
      count = 0
      judge = () => {
        count += 1
        return 554
      }
      const refusal = await tell(id)
      expect([refusal.status, refusal.body.error_code, count]).toEqual([502, 'UPSTREAM_FAILED', 1])
      expect(refusal.body.data ?? refusal.body).toMatchObject({ attempts: 1, status: 554 })
    })

    it('8.2: once accepted, a mail is not sent again', async () => {
      const retry = { maxAttempts: 5, backoff: 'fixed', baseDelay: '1ms', retryOn: ['condition', 'network'] }
      await submit(
        {
          ...MAIL,
          write: { resource: 'Order', match: 'number', action: 'update', mapping: { number: "$('none')" } },
        },
        { retry },
      )
      const before = post.received.length
      const { status, body } = await tell(await order({ number: 'C1', mail: 'ann@example.org' }))
      expect([status, body.error_code]).toEqual([404, 'NOT_FOUND'])
      expect(post.received.length).toBe(before + 1)
    })

    it('8.2: files of the library go with it', async () => {
      await submit({
        ...MAIL,
        attachments: [{ media: '$record.slip', filename: 'slip-{number}.png' }, { media: '$record.note' }],
      })
      const uploaded = await desk.upload({
        token: server.admin,
        name: 'a.png',
        path: '/api/v1/shop/media/upload',
        query: { filename: 'a.png', mime_type: 'image/png' },
      })
      const slip = uploaded.body.data.id
      const id = await order({ number: 'D1', mail: 'ann@example.org', slip })
      expect((await tell(id)).status).toBe(200)
      const { attachments = [] } = post.received.at(-1)?.mail ?? {}
      expect(attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
        ['slip-D1.png', 'image/png'],
      ])
      expect(Buffer.from(attachments[0]?.content as ArrayBuffer).length).toBe(uploaded.body.data.size)
      const missing = await tell(
        await order({ number: 'D2', mail: 'ann@example.org', slip: '0190a1b2-0000-7000-8000-000000000000' }),
      )
      expect([missing.status, missing.body.error_code]).toEqual([502, 'UPSTREAM_FAILED'])
    })

    it('6.6: a dry run shows the mail, and nothing of what the caller may not read', async () => {
      await submit({ ...MAIL, bcc: '$record.secret', html: '<b>{secret}</b>' })
      const id = await order({ number: 'E1', mail: 'ann@example.org', secret: 'spy@example.org' })
      const before = post.received.length
      const { status, body } = await tell(id, { dryRun: true })
      expect([status, body.data]).toEqual([
        200,
        {
          dryRun: true,
          request: {
            from: 'shop@example.org',
            to: ['ann@example.org'],
            cc: [],
            bcc: ['***'],
            subject: 'Order E1',
            text: 'Dear ann@example.org,\nyour order E1.',
            html: '***',
            attachments: [],
          },
        },
      ])
      expect(post.received.length).toBe(before)
    })

    it('2.1, 2.7: the mail server is judged like every other place', async () => {
      expect(await refused(MAIL, { host: '10.0.0.7' })).toContain('does not connect to')
      expect(await refused(MAIL, { host: 'mail.example/x' })).toContain('names no host')
      await submit(MAIL, { host: 'inside.example', port: 2525 })
      const { lookUp } = server.clock
      server.clock.lookUp = () => Promise.resolve(['10.0.0.7'])
      onTestFinished(() => void (server.clock.lookUp = lookUp))
      const { status, body } = await tell(await order({ number: 'F1', mail: 'ann@example.org' }))
      expect([status, body.error_code]).toEqual([422, 'ADDRESS_REFUSED'])
    })

    it('4.2, 4.6: what a mail cannot be is refused where it stands', async () => {
      expect(await refused({ to: 'a@x.org', subject: 'x' })).toContain("Write 'text' or 'html'")
      expect(await refused({ subject: 'x', text: 'y' })).toContain(
        '"path":"domain.integrations.post.operations.tell.to"',
      )
      expect(await refused({ ...MAIL, text: '{colour}' })).toContain('colour')
      expect(await refused(MAIL, { from: 'Ann <a@x.org>' })).toContain('is not exactly one address')
      expect(await refused(MAIL, { auth: { type: 'bearer', token: '${X}' } })).toContain('auth')
      expect(await refused(MAIL, { auth: { type: 'basic', username: 'a', password: 'literal' } })).toContain(
        'password',
      )
    })
  })
}
