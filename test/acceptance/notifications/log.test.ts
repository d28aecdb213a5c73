import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { tell } from './tell.ts'

const SHOP = `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { title: string, total: integer, secret: string }
      permissions:
        list: ['*']
        get: ['*']
        create: ['*']
        fields: { secret: { read: [keeper] } }
  tell:
    big:
      resource: Order
      when: total > 10
      notification:
        channels: [log]
        template: { subject: 'Order {title}', body: '{title} costs {total}.' }
`

for (const store of STORES) {
  describe(`the channel log on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      plugins: [tell],
      definition: SHOP,
      config: { jobs: { enabled: false } },
    })
    const list = async (query = '') =>
      (await server().request('GET', `/api/v1/shop/notifications${query}`, { token: server().admin })).body
        .data

    it('N4: writes one line to the log, and the entry is logged', async () => {
      const { request, kernel, log } = server()
      const { status, body } = await request('POST', '/api/v1/shop/orders', {
        body: { title: 'Nails', total: 12 },
      })
      expect(status).toBe(201)
      const [pending] = (await list()).items
      expect(pending).toMatchObject({
        name: 'tell.big',
        channel: 'log',
        status: 'pending',
        resource: 'Order',
        recordId: body.data.id,
        attempts: 0,
        sentAt: null,
        error: null,
        resendOf: null,
        source: { kind: 'rule', name: 'big', step: null, id: null },
      })
      await kernel.callAs(SYSTEM)('jobs.tick', {})
      const lines = log.filter(({ event }) => event === 'notifications.message')
      expect(lines).toMatchObject([{ fields: { subject: 'Order Nails', body: 'Nails costs 12.' } }])
      expect((await list()).items).toMatchObject([{ status: 'logged', attempts: 1, subject: 'Order Nails' }])
    })
  })
}
