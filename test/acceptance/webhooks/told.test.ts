import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSmtp, type TestSmtp } from '../../kit/smtp.ts'
import { startSink, type Sink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from '../live/shop.ts'

const ROOT = '/api/v1/admin/webhooks'
const MINUTE = 60_000

for (const store of STORES) {
  describe(`an endpoint that is disabled on ${store.name}`, () => {
    let smtp: TestSmtp
    let sink: Sink
    let server: TestKernel
    let reply: (to: string) => number | undefined = () => undefined
    beforeAll(async () => {
      smtp = await startSmtp({}, ({ recipients: [to = ''] }) => reply(to))
      sink = await startSink(() => ({ status: 410 }))
      server = await startTestKernel({
        store,
        definition: SHOP,
        config: {
          outbound: { allow_private: ['127.0.0.1'] },
          jobs: { enabled: false },
          email: {
            enabled: true,
            smtp_host: '127.0.0.1',
            smtp_port: smtp.port,
            from_address: 'noreply@example.org',
            use_tls: false,
          },
          auth: {
            jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 10_000_000 },
          },
        },
      })
      await server.account('boss', ['admin'])
      await server.account('keeper', ['keeper'])
    })
    afterAll(async () => {
      await server.stop()
      await smtp.stop()
      await sink.stop()
    })
    const ask = (method: string, path: string, body?: object) =>
      server.request(method, path, { token: server.admin, ...(body && { body }) })
    /** Does all that is due, and what that puts. */
    const settle = async () => {
      for (let at = 0; at < 4; at += 1) await server.kernel.callAs(SYSTEM)('jobs.tick', {})
    }

    it('[9.3] everybody of role admin is told by mail, once, whatever the mail server says at first', async () => {
      const url = `${sink.url}/a-path-that-is-a-secret`
      const wanted = { url, events: ['svc.shop.note.created'], description: 'of the courier' }
      const { status, body } = await ask('POST', ROOT, wanted)
      expect(status, JSON.stringify(body)).toBe(201)
      const { id } = body.data
      reply = (to) => (to === 'boss@example.org' ? 451 : undefined)
      for (const text of ['one', 'two', 'three']) await ask('POST', '/api/v1/shop/notes', { text })
      await settle()
      expect((await ask('GET', `${ROOT}/${id}`)).body.data.status).toBe('disabled')
      const reached = () => smtp.received.map(({ recipients }) => recipients.join()).toSorted()
      expect(reached()).toEqual(['admin@example.org', 'boss@example.org'])
      reply = () => undefined
      server.clock.advance(2 * MINUTE)
      await settle()
      // Who was told is not told again, and the other mail is the one that was put off.
      expect(reached()).toEqual(['admin@example.org', 'boss@example.org', 'boss@example.org'])
      expect(new Set(smtp.received.map(({ mail }) => mail.messageId)).size).toBe(2)
      server.clock.advance(600 * MINUTE)
      await settle()
      expect(reached()).toHaveLength(3)
      const { mail } = smtp.received[0]!
      const { host } = new URL(url)
      expect(mail.subject).toBe(`Webhook endpoint at ${host} is disabled`)
      expect(mail.text).toContain(`at ${host} (of the courier): it answered 410.`)
      expect(mail.text).toContain(`/api/v1/admin/webhooks/${id}/replay`)
      expect(smtp.received.map(({ raw }) => raw).join()).not.toContain('a-path-that-is-a-secret')
      expect(server.log.filter(({ event }) => event === 'webhooks.endpoint_disabled')).toHaveLength(1)
    })
  })
}
