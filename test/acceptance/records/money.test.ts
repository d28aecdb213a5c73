import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

// Amounts are worked out as people do it: by their decimal digits, and to the cent where a field keeps cents.

const DEFINITION = `
domain:
  name: till
  version: '1.0.0'
  resources:
    Bill:
      object:
        net: money
        tip: money
        hours: decimal
        gross: { type: money, computed: { expression: net + tip, stored: true } }
        fee: { type: decimal, scale: 3, computed: { expression: net * 0.12345, stored: true } }
      relationships: { lines: { type: hasMany, target: Line, foreignKey: billId } }
      computed:
        total: { type: money, expression: net + tip }
        less: { type: money, expression: net - tip }
        thrice: { type: money, expression: net * 3 }
        pay: { type: money, expression: hours * net }
        back: { type: money, expression: hours * net * -1 }
        half: { type: integer, expression: hours / 2 }
        lineTotal: { type: money, expression: 'sum(lines, quantity * price)' }
        share: net / tip
      validation:
        - { expression: 'net == null or tip == null or hours == null or hours != 7 or net + tip == 0.3', message: no sum }
      permissions: { create: [clerk], get: [clerk], list: [clerk], update: [clerk] }
    Line:
      object: { quantity: integer, price: money }
      relationships: { bill: { type: belongsTo, target: Bill } }
      permissions: { create: [clerk], get: [clerk], list: [clerk] }
`

for (const store of STORES) {
  describe(`amounts on ${store.name}`, () => {
    const kernel = useTestKernel({ store, definition: DEFINITION })
    let token: string | undefined
    const send = async (method: string, path: string, body?: object) => {
      token ??= (await kernel().account('clerk', ['clerk'])).token
      return kernel().request(method, `/api/v1/till${path}`, { token, body })
    }

    it.each([
      [0.1, 0.2, { gross: 0.3, total: 0.3, less: -0.1, thrice: 0.3, share: 0.5 }],
      [1.1, 2.2, { gross: 3.3, total: 3.3, less: -1.1, thrice: 3.3, share: 0.5 }],
      [19.99, 0.1, { gross: 20.09, total: 20.09, less: 19.89, thrice: 59.97, share: 199.9 }],
      [0.3, 0.1, { gross: 0.4, total: 0.4, less: 0.2, thrice: 0.9, share: 3 }],
    ])('of %d and %d are worked out by their digits, stored or not', async (net, tip, expected) => {
      const { status, body } = await send('POST', '/bills', { net, tip })
      expect([status, body.data]).toMatchObject([201, expected])
      const read = await send('GET', `/bills/${body.data.id}`)
      expect(read.body.data).toMatchObject(expected)
      const found = await send('GET', `/bills?filter[gross]=${expected.gross}`)
      expect(found.body.data.items.map(({ id }: { id: string }) => id)).toContain(body.data.id)
    })

    it('are rounded to the digits that the field keeps, half away from zero', async () => {
      const { body } = await send('POST', '/bills', { net: 19.99, tip: 0, hours: 1.5 })
      expect(body.data).toMatchObject({ pay: 29.99, back: -29.99, fee: 2.468, half: null })
    })

    it('are worked out alike over records beside them', async () => {
      const { body } = await send('POST', '/bills', { net: 1 })
      const { id } = body.data
      await send('POST', '/lines', { quantity: 3, price: 0.1, billId: id })
      expect((await send('GET', `/bills/${id}`)).body.data.lineTotal).toBe(0.3)
      await send('POST', '/lines', { quantity: 7, price: 1.15, billId: id })
      const listed = await send('GET', '/bills?limit=1000')
      const one = listed.body.data.items.find((item: { id: string }) => item.id === id)
      expect(one.lineTotal).toBe(8.35)
    })

    it('are compared by their digits', async () => {
      expect((await send('POST', '/bills', { net: 0.1, tip: 0.2, hours: 7 })).status).toBe(201)
      expect((await send('POST', '/bills', { net: 0.1, tip: 0.21, hours: 7 })).status).toBe(422)
    })
  })
}
