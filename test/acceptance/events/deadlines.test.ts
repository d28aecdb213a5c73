import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecondServer, startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { QUIET, tick } from '../workflows/desk.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'] }"
const note = (text: string) =>
  `{ action: create, target: Note, input: { orderId: $trigger.record.id, text: ${text} }, then: end }`
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order: { object: { title: string }, permissions: ${OPEN} }
    Payment: { object: { orderId: uuid }, permissions: ${OPEN} }
    Note: { object: { orderId: uuid, text: string }, permissions: ${OPEN} }
  workflows:
    race:
      trigger: { resource: Order, event: create }
      steps:
        wait: { wait: { resource: Payment, event: create, filter: orderId == $trigger.record.id, timeout: { duration: 1h, then: late } }, then: paid }
        paid: ${note('paid')}
        late: ${note('late')}
`
const ORDERS = 12
const HOUR = 3_600_000

for (const store of STORES) {
  describe(`events and deadlines on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, config: QUIET })
    let second: SecondServer
    beforeAll(async () => {
      // It works by itself, while the first does so when it is told.
      second = await startSecond(server().database, server().clock)
    })
    afterAll(() => second.stop())

    it('W7: of an event and a timeout one wins, on whichever server each is found: what was committed in time', async () => {
      const post = async (path: string, body: object) => {
        const answer = await server().request('POST', `/api/v1/shop/${path}`, { body })
        expect(answer.status).toBeLessThan(300)
        return answer.body.data.id as string
      }
      const notes = async () => {
        const { body } = await server().request('GET', '/api/v1/shop/notes?limit=500')
        return body.data.items.map(({ orderId, text }: { orderId: string; text: string }) => [
          orderId,
          text,
        ]) as [string, string][]
      }
      const orders = await Promise.all(Array.from({ length: ORDERS }, () => post('orders', { title: 'one' })))
      await tick(server())
      const resting = async () => {
        const { body } = await server().request('GET', '/api/v1/shop/workflows/instances?status=waiting', {
          token: server().admin,
        })
        return body.data.count as number
      }
      await expect.poll(resting, { timeout: 10_000 }).toBe(ORDERS)
      server().clock.advance(HOUR - 1)
      const paid = orders.filter((_, at) => at % 3 === 0)
      const tooLate = orders.filter((_, at) => at % 3 === 1)
      await Promise.all(paid.map((orderId) => post('payments', { orderId })))
      server().clock.advance(2)
      await Promise.all([
        tick(server()),
        ...tooLate.map((orderId) => post('payments', { orderId })),
        tick(server()),
      ])
      await expect.poll(async () => (await notes()).length, { timeout: 15_000 }).toBe(ORDERS)
      const expected = orders.map((order) => [order, paid.includes(order) ? 'paid' : 'late'])
      const byOrder = ([a]: readonly string[], [b]: readonly string[]) => (a! < b! ? -1 : 1)
      expect((await notes()).toSorted(byOrder)).toEqual(expected.toSorted(byOrder))
    })
  })
}
