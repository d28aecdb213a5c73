import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecondServer, startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'] }"
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order: { object: { title: string }, permissions: ${OPEN} }
    Payment: { object: { orderId: uuid, amount: integer }, permissions: ${OPEN} }
    Note: { object: { paymentId: uuid, orderId: uuid }, permissions: ${OPEN} }
  workflows:
    each:
      trigger: { resource: Order, event: create }
      steps:
        wait: { wait: { resource: Payment, event: create, filter: orderId == $trigger.record.id, timeout: { duration: 300d, then: end } } }
        note: { action: create, target: Note, input: { paymentId: $event.record.id, orderId: $trigger.record.id }, then: wait }
`
const ORDERS = 3
const PAYMENTS = 15

for (const store of STORES) {
  describe(`waits of two servers on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, config: { jobs: { poll_seconds: 0.1 } } })
    let second: SecondServer
    beforeAll(async () => {
      second = await startSecond(server().database, server().clock)
    })
    afterAll(() => second.stop())

    it('W7: hear every event that both write once, while both work', async () => {
      const make = async () =>
        (await server().request('POST', '/api/v1/shop/orders', { body: { title: 'one' } })).body.data
          .id as string
      const orders = await Promise.all(Array.from({ length: ORDERS }, make))
      const pay = async (orderId: string, at: number) => {
        const { request } = at % 2 === 0 ? server() : second
        const { status, body } = await request('POST', '/api/v1/shop/payments', {
          body: { orderId, amount: at },
        })
        expect(status, JSON.stringify(body)).toBe(201)
        return body.data.id as string
      }
      const paid = await Promise.all(
        orders.flatMap((order) => Array.from({ length: PAYMENTS }, (_, at) => pay(order, at))),
      )
      const noted = async () => {
        const { body } = await server().request('GET', '/api/v1/shop/notes?limit=500')
        return body.data.items.map(({ paymentId }: { paymentId: string }) => paymentId) as string[]
      }
      await expect
        .poll(async () => (await noted()).length, { timeout: 25_000, interval: 200 })
        .toBe(paid.length)
      expect((await noted()).toSorted()).toEqual(paid.toSorted())
    })
  })
}
