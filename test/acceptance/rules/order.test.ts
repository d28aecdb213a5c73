import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { deskOf, OPEN } from './desk.ts'

/** A rule that fires where the text names it. */
const rule = (name: string, action: string, more = '') =>
  `    ${name}: { trigger: { resource: Order, on: create }, condition: "title contains '${name}.'", action: ${action}, message: ${name}${more} }`

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      object: { title: string, total: integer }
      relationships:
        lines: { type: hasMany, target: Line, foreignKey: orderId }
      permissions: ${OPEN}
    Line:
      object: { amount: integer }
      relationships: { order: { type: belongsTo, target: Order, onDelete: cascade } }
      permissions: ${OPEN}
  rules:
${rule('l1', 'log')}
${rule('w2', 'warn', ', dependsOn: w3, priority: 1')}
${rule('w1', 'warn')}
${rule('w3', 'warn', ', priority: 200')}
${rule('r2', 'reject')}
${rule('r1', 'reject', ', priority: 50')}
${rule('r3', 'reject', ', dependsOn: [r4]')}
${rule('r4', 'reject', ', enabled: false')}
${rule('l2', 'log', ', dependsOn: [w1, l1]')}
    fullOrder:
      trigger: { resource: Line, on: [create, update, delete] }
      condition: sum(order.lines, amount) > 10
      action: reject
      message: The order is full
    emptyOrder:
      trigger: { resource: Order, on: delete }
      condition: count(lines) > 1
      action: reject
      message: Take the lines away first
`

for (const store of STORES) {
  describe(`the order of rules on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const desk = deskOf(server, 'shop')
    const { send } = desk
    const post = async (title: string) => {
      const { body } = await send('POST', '/orders', { title })
      await desk.heard()
      return body
    }

    it('B4: the first that rejects by priority, then by place, is told, and it alone', async () => {
      expect((await post('r1.r2.w1.l1.')).data.rule).toBe('r1')
      expect((await post('r2.r3.')).data.rule).toBe('r2')
      expect((await post('r3.')).data.rule).toBe('r3')
      expect((await desk.log()).filter(({ rule: name }) => name === 'w1')).toEqual([])
    })

    it('B4: then all that warn, then all that log', async () => {
      await desk.heard()
      const { body } = await send('POST', '/orders', { title: 'l1.w1.w3.' })
      expect(body.warnings.map(({ rule: name }: { rule: string }) => name)).toEqual(['w1', 'w3'])
      expect(await desk.heard()).toEqual(['w1 warned', 'w3 warned', 'l1 logged'])
    })

    it('B4: dependsOn puts a rule after others, whatever the priorities, and asks it only if none of them fired', async () => {
      expect((await post('w1.w2.')).warnings.map(({ rule: name }: { rule: string }) => name)).toEqual([
        'w1',
        'w2',
      ])
      expect((await post('w2.w3.')).warnings.map(({ rule: name }: { rule: string }) => name)).toEqual(['w3'])
      await send('POST', '/orders', { title: 'l2.w1.' })
      expect(await desk.heard()).toEqual(['w1 warned'])
    })

    it('B4: one that is disabled has not fired', async () => {
      expect((await post('r4.r3.')).data.rule).toBe('r3')
    })

    it('B4: rules are listed in the order in which they are asked', async () => {
      const { body } = await send('GET', '/rules', undefined, server().admin)
      expect(body.data.items.map(({ name }: { name: string }) => name)).toEqual([
        'r1',
        'r2',
        'r4',
        'r3',
        'fullOrder',
        'emptyOrder',
        'w1',
        'w3',
        'w2',
        'l1',
        'l2',
      ])
    })

    it('B3: conditions see related records as they stand in the transaction', async () => {
      const { id } = (await post('x')).data
      const lines = (...amounts: number[]) =>
        send(
          'POST',
          '/lines/bulk',
          amounts.map((amount) => ({ orderId: id, amount })),
        )
      const { body } = await lines(6, 5, 1)
      expect([body.data.created, body.data.errors]).toMatchObject([
        2,
        [{ index: 2, error_code: 'RULE_VIOLATION' }],
      ])
      expect((await send('DELETE', `/orders/${id}`)).body.error_message).toBe('Take the lines away first')
    })
  })
}
