import { StoreCapability } from '@svc/store/contract'
import { tablesOf } from '../../../plugins/events/src/tables.ts'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { pass, QUIET, tick } from '../workflows/desk.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'] }"
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order: { object: { title: string, size: integer }, permissions: ${OPEN}, validation: { small: { expression: size == null or size < 5, message: is too big } } }
    Payment: { object: { orderId: uuid }, permissions: ${OPEN} }
    Note: { object: { orderId: uuid }, permissions: ${OPEN} }
  workflows:
    paid:
      trigger: { resource: Order, event: create, condition: title == 'paid' }
      steps:
        enlarge: { action: update, input: { size: $(size + 1) } }
        wait: { wait: { resource: Payment, event: create, filter: orderId == $trigger.record.id, timeout: { duration: 5d, then: end } } }
        done: { action: update, input: { title: done } }
    noted:
      trigger: { resource: Order, event: create, condition: title == 'noted' }
      steps:
        wait: { wait: { resource: Note, event: create, filter: orderId == $trigger.record.id, timeout: { duration: 5d, then: end } } }
    plain:
      trigger: { resource: Order, event: create, condition: title == 'plain' }
      steps:
        rest: { wait: { timeout: { duration: 1h } } }
        done: { action: update, input: { title: done } }
`

for (const store of STORES) {
  describe(`what is kept of events on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: DEFINITION,
      config: { ...QUIET, events: { enabled: false } },
    })
    const { events } = tablesOf({ name: 'shop' })
    const kept = async () => {
      const { columns } = events
      const asked = { table: events, columns, where: { op: 'always' as const }, order: [] }
      const rows = await server().kernel.get(StoreCapability).select(asked)
      return rows.map(({ resource, mark }) => (mark === null ? resource : 'a mark')).toSorted()
    }
    const post = async (path: string, body: object) => {
      const answer = await server().request('POST', `/api/v1/shop/${path}`, { body })
      expect(answer.status).toBe(201)
      return answer.body.data
    }
    const sent = async (method: 'GET' | 'POST', path: string) =>
      (
        await server().request(method, `/api/v1/shop/workflows/instances${path}`, {
          token: server().admin,
          ...(method === 'POST' && { body: {} }),
        })
      ).body.data

    it('W7: instances that wait for nothing but time ask nothing of it', async () => {
      const { id } = await post('orders', { title: 'plain' })
      await tick(server())
      await pass(server(), 3601)
      expect((await sent('GET', `?recordId=${id}`)).items).toMatchObject([{ status: 'completed' }])
      expect(await kept()).toEqual([])
    })

    it('W7, W12: one that failed keeps what it may hear once it goes on, and nothing else', async () => {
      const { id } = await post('orders', { title: 'paid', size: 4 })
      await tick(server())
      const [failed] = (await sent('GET', `?recordId=${id}`)).items
      expect(failed).toMatchObject({ status: 'failed' })
      await post('payments', { orderId: id })
      for (let at = 0; at < 5; at += 1) await post('notes', { orderId: id })
      await tick(server())
      await pass(server(), 61)
      // The last event that was taken stays, whatever it is.
      expect(await kept()).toEqual(['Note', 'Payment'])
      await server().request('PATCH', `/api/v1/shop/orders/${id}`, { body: { size: 1 } })
      await sent('POST', `/${failed.id as string}/retry`)
      await tick(server())
      expect(await sent('GET', `/${failed.id as string}`)).toMatchObject({ status: 'completed' })
      await pass(server(), 61)
      expect(await kept()).toEqual(['Note'])
    })
  })
}
