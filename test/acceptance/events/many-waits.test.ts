import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { QUIET, tick } from '../workflows/desk.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'] }"
const filter = "concat(orderId, '') == $trigger.record.id"
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order: { object: { title: string }, permissions: ${OPEN} }
    Payment: { object: { orderId: uuid, amount: integer }, permissions: ${OPEN} }
    Note: { object: { orderId: uuid, amount: integer }, permissions: ${OPEN} }
  workflows:
    asked:
      trigger: { resource: Order, event: create }
      steps:
        first: { wait: { resource: Payment, event: create, filter: "${filter}", timeout: { duration: 1h, then: end } } }
        note: { action: create, target: Note, input: { orderId: $trigger.record.id, amount: $event.record.amount }, then: first }
`
/** More than are written down at once. */
const WAITING = 230

for (const store of STORES) {
  describe(`an event that many may hear on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, config: QUIET })
    const post = async (path: string, body: object) => {
      const answer = await server().request('POST', `/api/v1/shop/${path}`, { body })
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body.data
    }
    const notes = async () => {
      const { body } = await server().request('GET', '/api/v1/shop/notes?limit=500&sort=id')
      return body.data.items.map(({ orderId, amount }: { orderId: string; amount: number }) => [
        orderId,
        amount,
      ])
    }
    let orders: string[] = []
    beforeAll(async () => {
      const items = Array.from({ length: WAITING }, (_, at) => ({ title: `t${at}` }))
      await post('orders/bulk', { items })
      await tick(server())
      const { body } = await server().request('GET', '/api/v1/shop/orders?limit=500')
      orders = body.data.items.map(({ id }: { id: string }) => id)
    })

    it('W7: is told all of them in turn, each event after the other, and ends the rests that it is for', async () => {
      const [one, other] = [orders[7]!, orders[WAITING - 1]!]
      await post('payments', { orderId: one, amount: 1 })
      await post('payments', { orderId: other, amount: 2 })
      await post('payments', { orderId: one, amount: 3 })
      await tick(server())
      const heard = await notes()
      expect(heard.filter(([order]: [string]) => order === one)).toEqual([
        [one, 1],
        [one, 3],
      ])
      expect(heard.filter(([order]: [string]) => order === other)).toEqual([[other, 2]])
      expect(heard).toHaveLength(3)
    })

    it('W7: counts for those whose time is over before they were told', async () => {
      server().clock.advance(3_599_000)
      await post('payments', { orderId: orders[3]!, amount: 4 })
      server().clock.advance(2000)
      await tick(server())
      expect((await notes()).filter(([order]: [string]) => order === orders[3])).toEqual([[orders[3], 4]])
    })
  })
}
