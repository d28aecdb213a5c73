import { StoreCapability } from '@svc/store/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { coupons } from '../../fixtures/coupons/coupons.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const SHOP = `
domain:
  name: shop
  version: '1'
  blocks:
    teaser: { fields: { coupon: coupon } }
  resources:
    Cart:
      features: { import: true, softDelete: true, versioning: true }
      object:
        title: { type: string, required: true, maxLength: 9 }
        coupon: coupon
        more: { type: array, items: coupon }
        gift: { type: component, fields: { coupon: coupon, note: string } }
        page: blocks
        deletedAt: datetime
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Plain:
      object: { title: { type: string, required: true } }
      permissions: { create: ['*'] }
`
const CARTS = '/api/v1/shop/carts'

for (const store of STORES) {
  describe(`a field type that asks the store on ${store.name}`, () => {
    const { plugin, questions, table } = coupons({ A: null, B: null, OWN: 'admin', HERS: 'ann' })
    const server = useTestKernel({ store, plugins: [plugin], definition: SHOP })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const told = (errors: readonly { field: string; rule: string }[]) =>
      errors.map(({ field, rule }) => `${field} ${rule}`)
    beforeEach(() => void questions.splice(0))

    it('takes what the store has, on behalf of the caller', async () => {
      const { status } = await send('POST', CARTS, { title: 'one', coupon: 'a' })
      expect(status).toBe(201)
      expect(questions).toEqual([{ codes: ['A'], isWriting: true, caller: 'user' }])
      expect((await send('POST', CARTS, { title: 'one', coupon: 'own' })).status).toBe(201)
      const hers = await send('POST', CARTS, { title: 'one', coupon: 'hers' })
      expect([hers.status, hers.body.errors]).toEqual([
        422,
        [{ field: 'coupon', rule: 'reference', message: 'is the coupon of somebody else' }],
      ])
    })

    it('[3.12] tells its faults together with all others, wherever the value stands', async () => {
      const { status, body } = await send('POST', CARTS, {
        title: 'much too long',
        coupon: 'x',
        more: ['a', 'y'],
        gift: { coupon: 'z' },
        page: [{ type: 'teaser', data: { coupon: 'w' } }],
        other: 1,
      })
      expect(status).toBe(422)
      expect(told(body.errors).toSorted()).toEqual([
        'coupon reference',
        'gift.coupon reference',
        'more.1 reference',
        'other unknown',
        'page.0.data.coupon reference',
        'title maxLength',
      ])
      const missing = await send('POST', CARTS, { coupon: 'x' })
      expect(told(missing.body.errors)).toEqual(['title required', 'coupon reference'])
    })

    it('asks again on every way to change a record, but for what is there already', async () => {
      const { body } = await send('POST', CARTS, { title: 'one', coupon: 'b', more: ['a'] })
      const path = `${CARTS}/${body.data.id}`
      await server()
        .kernel.get(StoreCapability)
        .transaction((transaction) =>
          transaction.remove({ table, where: { op: 'eq', column: table.primaryKey[0]!, value: 'B' } }),
        )
      expect((await send('PATCH', path, { coupon: 'b', title: 'two' })).status).toBe(200)
      expect((await send('PATCH', path, { more: ['a', 'b'] })).body.errors).toEqual([
        { field: 'more.1', rule: 'reference', message: 'is no coupon' },
      ])
      expect((await send('PUT', path, { title: 'two', coupon: 'x' })).status).toBe(422)
      expect((await send('PATCH', path, { coupon: 'a' })).status).toBe(200)
      const back = await send('POST', `${path}/revert`, { version: 1 })
      expect([back.status, back.body.errors?.map(({ rule }: { rule: string }) => rule)]).toEqual([
        422,
        ['reference'],
      ])
    })

    it('asks one question for all rows of a bulk, and one more for those at fault', async () => {
      const rows = (codes: readonly string[]) => codes.map((coupon) => ({ title: 'row', coupon }))
      for (const path of [`${CARTS}/bulk`, `${CARTS}/import`]) {
        questions.splice(0)
        const { body } = await send('POST', path, { items: rows(['a', 'x', 'own', 'a']) })
        expect([body.data.created, body.data.failed]).toEqual([3, 1])
        expect(body.data.errors[0]).toMatchObject({
          index: 1,
          errors: [{ field: 'coupon', rule: 'reference' }],
        })
        expect(questions).toEqual([{ codes: ['A', 'X', 'OWN', 'A'], isWriting: true, caller: 'user' }])
      }
      questions.splice(0)
      const wrong = [{ coupon: 'x' }, { coupon: 'a' }, { title: 'row', coupon: 'a' }, { coupon: 'y' }]
      const { body } = await send('POST', `${CARTS}/bulk`, { items: wrong })
      expect(body.data.errors.map(({ errors }: any) => told(errors))).toEqual([
        ['title required', 'coupon reference'],
        ['title required'],
        ['title required', 'coupon reference'],
      ])
      expect(questions.map(({ codes, isWriting }) => [codes, isWriting])).toEqual([
        [['X', 'A', 'Y'], false],
        [['A'], true],
      ])
    })

    it('asks one question for a bulk of changes, about what is new in each record', async () => {
      const { body } = await send('POST', `${CARTS}/bulk`, {
        items: [
          { title: 'row', coupon: 'a' },
          { title: 'row', coupon: 'own' },
        ],
      })
      const ids = body.data.items.map(({ id }: { id: string }) => id)
      questions.splice(0)
      const { body: changed } = await send('PATCH', `${CARTS}/bulk`, { ids, data: { coupon: 'own' } })
      expect(changed.data).toMatchObject({ updated: 2, failed: 0 })
      expect(questions).toEqual([{ codes: ['OWN'], isWriting: true, caller: 'user' }])
    })

    it('asks nothing where nothing is to be asked', async () => {
      await send('POST', CARTS, { title: 'none', coupon: null })
      await send('POST', '/api/v1/shop/plains', { title: 'none' })
      const { status } = await send('POST', CARTS, { title: 'one', coupon: 1 })
      expect([status, questions]).toEqual([422, []])
    })

    it('says nothing of the store to who may not write', async () => {
      const { token } = await server().account(`guest-${store.name}`)
      const path = '/api/v1/shop/plains'
      expect((await server().request('PATCH', `${path}/1`, { token, body: { title: 1 } })).status).toBe(403)
      expect(questions).toEqual([])
    })
  })
}
