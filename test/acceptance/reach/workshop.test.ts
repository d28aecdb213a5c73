import { readFileSync } from 'node:fs'
import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const EXAMPLE = new URL('../../../apps/server/examples/workshop/domain.yaml', import.meta.url)
const at = (path: string): string => `/api/v1/workshop/${path}`

for (const store of STORES) {
  describe(`[9.2] the workshop on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: readFileSync(EXAMPLE, 'utf8') })
    let hannah: TestAccount
    let devon: TestAccount
    let desk: TestAccount
    let order = ''

    const send = (method: string, path: string, { token }: TestAccount, body?: unknown) =>
      server().request(method, at(path), { token, ...(body !== undefined && { body }) })
    const create = async (resource: string, data: object) =>
      (await server().kernel.callAs(SYSTEM)(`svc.workshop.${resource}.create`, { data })) as { id: string }

    beforeAll(async () => {
      hannah = await server().account('hannah', ['customer'])
      devon = await server().account('devon', ['customer'])
      desk = await server().account('desk', ['frontdesk'])
      const customer = await create('customer', { name: 'Hannah', email: 'h@example.org', userId: hannah.id })
      const bike = await create('bike', {
        frameNumber: 'FRAME00001',
        model: 'T',
        kind: 'city',
        customerId: customer.id,
      })
      const service = await create('service', {
        code: 'S01',
        name: 'Truing',
        description: 'Both wheels',
        price: 24,
        minutes: 30,
      })
      const made = await create('repair-order', {
        problem: 'It rattles when it rains',
        receivedAt: '2026-03-01T09:00:00Z',
        customerId: customer.id,
        bikeId: bike.id,
        status: 'quoted',
      })
      order = made.id
      for (const position of [1, 2])
        await create('order-line', {
          repairOrderId: order,
          position,
          kind: 'labour',
          text: 'Truing',
          quantity: position,
          unitPrice: 24,
          serviceId: service.id,
        })
      await create('invoice', {
        number: 'INV-2026-0001',
        issuedOn: '2026-03-02',
        dueOn: '2026-03-16',
        customerId: customer.id,
        repairOrderId: order,
      })
    })

    it('shows a customer the repairs of their own bikes, and nobody else', async () => {
      for (const plural of ['bikes', 'repair-orders', 'order-lines', 'invoices']) {
        const counts = [hannah, devon, desk].map(
          async (who) => (await send('GET', plural, who)).body.data.count,
        )
        const many = plural === 'order-lines' ? 2 : 1
        expect([plural, ...(await Promise.all(counts))]).toEqual([plural, many, 0, many])
      }
      const token = (who: TestAccount) => send('GET', `repair-orders/${order}?fields=trackingToken`, who)
      expect((await token(hannah)).body.data.trackingToken).toEqual(expect.any(String))
      expect((await token(devon)).status).toBe(403)
    })

    it('lets them approve their quote, and send nothing else along', async () => {
      const approve = (who: TestAccount, body: object = {}) =>
        send('POST', `repair-orders/${order}/transitions/approve`, who, body)
      expect((await approve(devon)).status).toBe(403)
      expect((await send('PATCH', `repair-orders/${order}`, hannah, { estimate: 1 })).status).toBe(403)
      expect((await approve(hannah)).body.data.status).toBe('approved')
    })

    it('works an invoice out from its lines, which stay as they are once it is sent', async () => {
      const [invoice] = (await send('GET', 'invoices', hannah)).body.data.items
      expect(invoice).toMatchObject({ total: 72, net: 60, vat: 12 })
      const path = `invoices/${invoice.id}`
      const sent = await send('PATCH', path, desk, { total: 1 })
      expect((await send('GET', path, desk)).body.data.total, JSON.stringify(sent.body)).toBe(72)
      const [line] = (await send('GET', 'order-lines?sort=position', desk)).body.data.items
      const change = () => send('PATCH', `order-lines/${line.id}`, desk, { quantity: 2 })
      expect((await change()).status).toBe(200)
      expect((await send('GET', path, desk)).body.data).toMatchObject({ total: 96, net: 80, vat: 16 })
      expect((await send('POST', `${path}/transitions/send`, desk, {})).status).toBe(200)
      expect((await change()).status).toBe(403)
    })
  })
}
