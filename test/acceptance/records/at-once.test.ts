import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { QUIET } from '../workflows/desk.ts'

const ALL = '{ list: ["*"], get: ["*"], create: ["*"], update: ["*"], delete: ["*"] }'
const definition = `
domain:
  name: shop
  version: '1'
  resources:
    Part:
      features: { audit: true }
      object: { code: { type: string, unique: true }, stock: { type: integer, default: 0 } }
      permissions: ${ALL}
`
const PARTS = '/api/v1/shop/parts'

for (const store of STORES) {
  describe(`writes that come at once, which share a commit, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition, config: QUIET })
    const send = (method: string, path: string, body?: object) =>
      server().request(method, path, { token: server().admin, ...(body && { body }) })
    const create = (code: string) => send('POST', PARTS, { code })
    const audit = async (id: string) => (await send('GET', `${PARTS}/${id}/audit?limit=100`)).body.data.items

    it('are refused one by one, with what is noted of them', async () => {
      await Promise.all(['c3', 'c12', 'c13', 'c30'].map(create))
      const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => create(`c${at}`)))
      const refused = answers.flatMap(({ status }, at) => (status === 409 ? [at] : []))
      expect(refused).toEqual([3, 12, 13, 30])
      for (const { status, body } of answers) {
        if (status === 409) expect(body).toMatchObject({ error_code: 'DUPLICATE' })
        else expect([status, await audit(body.data.id)]).toMatchObject([201, [{ action: 'create' }]])
      }
      expect((await send('GET', `${PARTS}?limit=100`)).body.data.items).toHaveLength(40)
    })

    it('have one winner for a value that all of them want', async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => create('wanted')))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(29).fill(409)])
    })

    it('lose no change of one record, and none of many', async () => {
      const ids: string[] = []
      for (const code of ['one', 'two', 'three']) ids.push((await create(code)).body.data.id)
      const orders = Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? ids : ids.toReversed()))
      const answers = await Promise.all(
        orders.flatMap((order, stock) => order.map((id) => send('PATCH', `${PARTS}/${id}`, { stock }))),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      for (const id of ids) {
        const { stock } = (await send('GET', `${PARTS}/${id}`)).body.data
        // Each change begins where the one before it has ended.
        const told: { changes: { stock: { from?: number; to: number } } }[] = (await audit(id)).toReversed()
        const ends = told.map(({ changes }) => changes.stock.to)
        expect(told.map(({ changes }) => changes.stock.from)).toEqual([undefined, ...ends.slice(0, -1)])
        expect(ends.at(-1)).toBe(stock)
      }
    })
  })
}
