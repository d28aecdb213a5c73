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
    Order:
      object: { title: string, cost: integer, contact: string }
      permissions: { create: ['*'], fields: { cost: { read: [keeper] } } }
  tell:
    due:
      resource: Order
      batch: true
      notification:
        channels: [log, email]
        recipients: { roles: [keeper], field: contact }
        template:
          subject: '{$count} due'
          body: '{#each $records as one}{one.title} {one.cost};{/each}'
`

for (const store of STORES) {
  describe(`a batch on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [tell], definition: SHOP, config: STILL })

    it('S9: who is named by a field hears of the records that name it, holders of a role of all', async () => {
      const { request, account, log } = server()
      await account('keeper', ['keeper'])
      for (const [title, contact] of [
        ['a', 'ada@example.org'],
        ['b', 'bea@example.org'],
        ['c', 'ada@example.org'],
      ])
        await request('POST', '/api/v1/shop/orders', { body: { title, contact, cost: 4 } })
      expect(await request('POST', '/api/v1/shop/tell/due', { body: {} })).toMatchObject({ status: 200 })
      await tick(server())
      const sent = (await kept(server().kernel)).map(({ recipient, subject, body }) => [
        recipient,
        subject,
        body,
      ])
      expect(sent.toSorted()).toEqual([
        [null, '3 due', 'a ;b ;c ;'],
        ['ada@example.org', '2 due', 'a ;c ;'],
        ['bea@example.org', '1 due', 'b ;'],
        ['keeper@example.org', '3 due', 'a 4;b 4;c 4;'],
      ])
      const [line] = log.filter(({ event }) => event === 'notifications.message')
      expect(line!.fields['body']).toBe('a ;b ;c ;')
    })

    it('N8: entries of a batch are about no one record, and are found by what raised them', async () => {
      const all = await messages(server(), '?source=due')
      expect(all).toHaveLength(4)
      for (const entry of all)
        expect(entry).toMatchObject({
          resource: null,
          recordId: null,
          source: { kind: 'schedule', name: 'due', step: null, id: null },
        })
      const [line] = server().log.filter(({ event }) => event === 'notifications.message')
      expect([line!.fields['resource'], line!.fields['recordId']]).toEqual([null, null])
      const { status, body } = await server().request('GET', `/api/v1/shop/notifications/${all[0]!.id}`, {
        token: server().admin,
      })
      expect([status, body.data]).toEqual([200, all[0]])
      const resent = await server().request('POST', `/api/v1/shop/notifications/${all[0]!.id}/resend`, {
        token: server().admin,
      })
      expect([resent.status, resent.body.data]).toMatchObject([201, { recordId: null, resendOf: all[0]!.id }])
    })
  })
}
