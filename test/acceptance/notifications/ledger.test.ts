import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { type Entry, messages, STILL, tick } from './outbox.ts'
import { tell } from './tell.ts'

const SHOP = `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { title: string, contact: string }
      permissions: { create: ['*'], list: ['*'] }
    Ticket:
      object: { number: { type: integer, primaryKey: true }, title: string }
      permissions: { create: ['*'] }
  tell:
    mail:
      resource: Order
      notification:
        channels: [email, log]
        recipients: { field: contact }
        template: { subject: 'S {title}', body: 'B {title}' }
    note: { resource: Ticket, notification: { channels: [log], template: { body: '{title}' } } }
`
const DAY_MS = 86_400_000
const TOKENS = {
  auth: { jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 31_536_000 } },
}

for (const store of STORES) {
  describe(`the ledger of messages on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      plugins: [tell],
      definition: SHOP,
      config: { ...STILL, ...TOKENS },
    })
    const order = async (title: string, contact: string) =>
      server().request('POST', '/api/v1/shop/orders', { body: { title, contact } })

    it('N4: email while mail is off is kept and not sent; the log has one line', async () => {
      await order('one', 'a@example.org')
      expect((await messages(server())).map(({ status }) => status)).toEqual(['pending', 'pending'])
      await tick(server())
      const found = await messages(server())
      expect(
        found.map(({ channel, status, recipient, sentAt }) => [channel, status, recipient, sentAt]).sort(),
      ).toEqual([
        ['email', 'logged', 'a@example.org', null],
        ['log', 'logged', null, null],
      ])
      const lines = server().log.filter(({ event }) => event === 'notifications.message')
      expect(lines).toMatchObject([
        { level: 'info', fields: { body: 'B one', recipients: ['a@example.org'] } },
      ])
    })

    it('N8: lists are the newest first, filtered by each of their parameters; one is read by its id', async () => {
      server().clock.advance(60_000)
      await order('two', 'b@example.org')
      await server().request('POST', '/api/v1/shop/tickets', { body: { number: 7, title: 'three' } })
      await tick(server())
      const all = await messages(server())
      expect(all.map(({ createdAt }) => createdAt)).toEqual(
        all
          .map(({ createdAt }) => createdAt)
          .toSorted()
          .toReversed(),
      )
      const counted = async (query: string) => (await messages(server(), query)).length
      expect(await counted('?channel=email')).toBe(2)
      expect(await counted('?status=logged')).toBe(5)
      expect(await counted('?status=pending')).toBe(0)
      expect(await counted('?source=note')).toBe(1)
      expect(await counted('?recipient=b@example.org')).toBe(1)
      expect(await counted('?recordId=7')).toBe(1)
      expect(await counted(`?after=${new Date(server().clock.now() - 1).toISOString()}`)).toBe(3)
      expect(await counted(`?before=${new Date(server().clock.now()).toISOString()}`)).toBe(2)
      expect(await counted('?limit=1')).toBe(1)
      const [of] = await messages(server(), '?source=note')
      const { status, body } = await server().request('GET', `/api/v1/shop/notifications/${of!.id}`, {
        token: server().admin,
      })
      expect([status, body.data]).toEqual([200, of])
      expect(of).toMatchObject({
        name: 'tell.note',
        source: { kind: 'rule', name: 'note', step: null, id: null },
        resource: 'Ticket',
        recordId: 7,
        subject: null,
        body: 'three',
        attempts: 1,
        nextAttemptAt: null,
        responseStatus: null,
        error: null,
        resendOf: null,
      })
      for (const id of ['nothing', '0199c9a5-0000-7000-8000-000000000000'])
        expect(
          (await server().request('GET', `/api/v1/shop/notifications/${id}`, { token: server().admin }))
            .status,
        ).toBe(404)
    })

    it('A12: the bus hears how each message ended, after the commit, with the entry in full', async () => {
      const heard: { name: string; event: { entry: Entry } & Record<string, unknown> }[] = []
      const unhear = server().kernel.bus.on('svc.shop.notification.*', (event, name) => {
        heard.push({ name, event: event as (typeof heard)[number]['event'] })
      })
      await order('four', 'nobody')
      await tick(server())
      unhear()
      expect(heard.map(({ name }) => name).sort()).toEqual([
        'svc.shop.notification.failed',
        'svc.shop.notification.logged',
      ])
      const failed = heard.find(({ name }) => name.endsWith('failed'))!
      expect(failed.event).toMatchObject({
        domain: 'shop',
        name: 'notification.failed',
        at: new Date(server().clock.now()).toISOString(),
        entry: {
          status: 'failed',
          recipient: 'nobody',
          error: { code: 'INVALID_ADDRESS' },
          subject: 'S four',
        },
      })
      expect(failed.event['entry']).toEqual((await messages(server(), `?recipient=nobody`))[0])
    })

    it('A14: messages of what is over go after retention_days, those that wait stay', async () => {
      const sweep = () => server().kernel.callAs(SYSTEM)('notifications.sweep', {})
      server().clock.advance(89 * DAY_MS)
      await sweep()
      expect((await messages(server())).length).toBeGreaterThan(0)
      await order('five', 'c@example.org')
      server().clock.advance(91 * DAY_MS)
      await sweep()
      expect((await messages(server())).map(({ status, body }) => [status, body])).toEqual([
        ['pending', 'B five'],
        ['pending', 'B five'],
      ])
      await tick(server())
      expect(await messages(server(), '?status=pending')).toEqual([])
    })
  })
}
