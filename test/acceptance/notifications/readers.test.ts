import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { kept, messages, STILL, tick } from './outbox.ts'
import { tell } from './tell.ts'

const SHOP = `
domain:
  name: shop
  version: '1'
  resources:
    Customer:
      object: { name: string, phone: string }
      permissions: { create: ['*'], get: [keeper, admin], fields: { phone: { read: [keeper] } } }
    Order:
      object: { title: string, total: decimal, cost: decimal, contact: string, pin: string, tags: { type: array, items: string } }
      relationships: { customer: { type: belongsTo, target: Customer } }
      computed: { margin: total - cost }
      permissions:
        create: ['*']
        update: ['*']
        get: ['*']
        fields:
          cost: { read: [keeper] }
          pin: { read: [keeper], mask: true }
  tell:
    all:
      resource: Order
      when: op == 'create'
      notification:
        channels: [log, email]
        recipients: { roles: [keeper, clerk], field: contact }
        template:
          subject: { en: '{title} for {user.name}', de: 'falsch' }
          body: |-
            costs [{cost}] leaves [{margin}] pin [{pin}] of [{customer.name}] at [{customer.phone}] sum [{total | money: 'EUR'}]
            was [{previous.title}] {{braces}} \\{too} tags {tags}{#if total > 10} dear{:else} cheap{/if}
            {#each tags as tag}<{tag}>{/each}
`

for (const store of STORES) {
  describe(`what readers are told on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [tell], definition: SHOP, config: STILL })

    it('A6: each reader is told what it may read, a bare address and the log what has no read rule', async () => {
      const { request, account } = server()
      await account('keeper', ['keeper'])
      await account('clerk', ['clerk'])
      const customer = await request('POST', '/api/v1/shop/customers', {
        body: { name: 'Ada', phone: '555' },
      })
      const made = await request('POST', '/api/v1/shop/orders', {
        body: {
          title: 'Nails',
          total: 12,
          cost: 4,
          pin: '1234',
          contact: 'out@example.org',
          tags: ['a', '{title}'],
          customerId: customer.body.data.id,
        },
      })
      expect(made.status).toBe(201)
      // What happens after it was raised is none of its business.
      await request('PATCH', `/api/v1/shop/orders/${made.body.data.id}`, {
        body: { title: 'Screws', tags: [] },
      })
      await tick(server())
      const tail = ' {braces} {too} tags a, {title} dear\n<a><{title}>'
      const sum = 'sum [€12.00]\nwas []'
      const expected = {
        keeper: `costs [4] leaves [8] pin [1234] of [Ada] at [555] ${sum}${tail}`,
        clerk: `costs [] leaves [] pin [] of [] at [] ${sum}${tail}`,
        anybody: `costs [] leaves [] pin [] of [Ada] at [] ${sum}${tail}`,
      }
      const lines = server()
        .log.filter(({ event }) => event === 'notifications.message')
        .map(({ fields }) => fields)
      expect(lines[0]!['body']).toBe(expected.anybody)
      const data = await kept(server().kernel)
      const sent = new Map(
        data.toReversed().map(({ recipient, body, subject }) => [recipient, { body, subject }]),
      )
      expect(sent.get('keeper@example.org')?.body).toBe(expected.keeper)
      expect(sent.get('clerk@example.org')?.body).toBe(expected.clerk)
      expect(sent.get('out@example.org')?.body).toBe(expected.anybody)
      expect(String(sent.get('out@example.org')?.subject)).toMatch(/^Nails for/)
    })

    it('A6: the ledger shows its reader no more than that, whomever a message was for', async () => {
      const found = await messages(server(), '?recipient=keeper@example.org')
      for (const { body } of found) expect(body).toContain('costs [] leaves [] pin [] of [Ada] at []')
      const { token } = await server().account('both', ['admin', 'keeper'])
      const seen = await messages(
        { request: server().request, admin: token },
        '?recipient=keeper@example.org',
      )
      expect(seen.at(-1)!.body).toContain('costs [4] leaves [8] pin [1234] of [Ada] at [555]')
      const bare = await messages({ request: server().request, admin: token }, '?recipient=out@example.org')
      expect(bare.at(-1)!.body).toContain('costs [] leaves [] pin [] of [Ada] at []')
    })

    it('N3: a subject is one line of at most 255 characters, a body at most 64 KiB; both end in …', async () => {
      const { request } = server()
      const title = `a\tb${'é'.repeat(300)}`
      const tags = ['ü'.repeat(40_000)]
      const { body } = await request('POST', '/api/v1/shop/orders', { body: { title, total: 1, tags } })
      const [log] = await messages(server(), `?channel=log&recordId=${body.data.id}`)
      expect(log!.subject).toMatch(/^a b/)
      expect([Array.from(log!.subject!).length, log!.subject!.at(-1)]).toEqual([255, '…'])
      expect(new TextEncoder().encode(log!.body).length).toBeLessThanOrEqual(65_536)
      expect(new TextEncoder().encode(log!.body).length).toBeGreaterThan(65_530)
      expect(log!.body.endsWith('ü…')).toBe(true)
    })
  })
}
