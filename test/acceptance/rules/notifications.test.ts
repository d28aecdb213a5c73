import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { deskOf, OPEN } from './desk.ts'

const rule = (name: string, action: string, condition: string) => `
    ${name}:
      trigger: { resource: Order, on: [create, update] }
      condition: ${condition}
      action: ${action}
      message: ${name}
      notification: { channels: [log], template: { body: '${name}: {title} {customer.name}' } }`

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Customer: { object: { name: string }, permissions: ${OPEN} }
    Order:
      object: { title: string, code: { type: string, unique: true }, total: integer }
      relationships: { customer: { type: belongsTo, target: Customer } }
      permissions: ${OPEN}
  rules:${rule('tooMuch', 'reject', 'total > 100')}${rule('much', 'warn', 'total > 50')}${rule('some', 'log', 'total > 40')}
`

for (const store of STORES) {
  describe(`notifications of rules on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const desk = deskOf(server, 'shop')
    const raised = async () => {
      const { body } = await desk.send('GET', '/notifications?limit=1000', undefined, server().admin)
      return body.data.items.toReversed() as { name: string; recordId: string; source: { id: string } }[]
    }

    it('B7: are raised with each firing, of warn and log in the transaction of the write', async () => {
      const made = await desk.send('POST', '/orders', { total: 60, code: 'a' })
      const all = await raised()
      expect(all.map(({ name }) => name)).toEqual(['rules.much', 'rules.some'])
      expect(all[0]).toMatchObject({ recordId: made.body.data.id, source: { kind: 'rule', name: 'much' } })
      const log = await desk.log()
      expect(all.map(({ source }) => source.id)).toEqual(log.map(({ id }) => id))
      expect((await desk.send('POST', '/orders', { total: 60, code: 'a' })).body.error_code).toBe('DUPLICATE')
      expect(await raised()).toHaveLength(2)
    })

    it('B7: are raised of a reject with its entry, though nothing of the write is left', async () => {
      const customer = (await desk.send('POST', '/customers', { name: 'Ann' })).body.data.id
      const before = await raised()
      const { status } = await desk.send('POST', '/orders', { total: 101, title: 'x', customerId: customer })
      expect(status).toBe(422)
      const [entry, ...more] = (await raised()).slice(before.length)
      expect([entry?.name, entry?.recordId, more]).toEqual(['rules.tooMuch', null, []])
      expect(entry!.source.id).toBe((await desk.log()).at(-1)!['id'])
    })
  })
}
