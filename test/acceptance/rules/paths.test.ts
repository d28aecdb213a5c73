import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { asSystem, deskOf, OPEN } from './desk.ts'

const rule = (name: string, on: string, more = '') =>
  `    ${name}: { trigger: { resource: Order, on: ${on}${more} }, condition: 'true', action: log, message: ${name} }`

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Customer:
      object: { name: string }
      permissions: ${OPEN}
    Order:
      features: { softDelete: true, versioning: true, import: true }
      object:
        title: string
        code: { type: string, unique: true }
        total: { type: integer, default: 0 }
        status: { type: string, enum: [open, paid, closed] }
        deletedAt: datetime
      stateMachine:
        field: status
        initial: open
        states:
          open: { transitions: { pay: { to: paid }, close: { to: closed } } }
          paid: { transitions: { close: { to: closed }, reopen: { to: open } } }
          closed: { transitions: { reopen: { to: open } } }
      relationships:
        customer: { type: belongsTo, target: Customer, onDelete: nullify }
        tags: { type: belongsToMany, target: Tag }
        parent: { type: belongsTo, target: Order, foreignKey: parentId, onDelete: cascade }
      api:
        customOperations:
          - { name: settle, permissions: ['*'], fields: { status: paid } }
          - { name: note, permissions: ['*'], fields: { title: noted } }
      permissions: ${OPEN}
    Tag:
      object: { name: string }
      permissions: ${OPEN}
  rules:
${rule('created', 'create')}
${rule('updated', 'update')}
${rule('retitled', 'update', ', fields: [title]')}
${rule('moved', 'transition')}
${rule('paid', 'transition', ', transition: [pay]')}
${rule('either', '[update, transition]')}
${rule('deleted', 'delete')}
`

for (const store of STORES) {
  describe(`rules and the ways by which records are written, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const desk = deskOf(server, 'shop')
    const { send } = desk
    /** The names of the rules that have fired since they were asked for last, by the alphabet. */
    const fired = async () => (await desk.heard()).map((one) => one.replace(' logged', '')).toSorted()
    const order = async (values = {}) => {
      const { body } = await send('POST', '/orders', values)
      await fired()
      return body.data.id as string
    }
    const WRITTEN = ['either', 'updated']
    const MOVED = ['either', 'moved', 'updated']

    it('B2: create is POST, bulk, import and what an upsert inserts', async () => {
      await send('POST', '/orders', { title: 'one' })
      expect(await fired()).toEqual(['created'])
      await send('POST', '/orders/bulk', [{ title: 'two' }, { title: 'three' }])
      expect(await fired()).toEqual(['created', 'created'])
      await send('POST', '/orders/import', [{ title: 'four' }])
      expect(await fired()).toEqual(['created'])
      const items = [{ code: 'fresh', title: 'five' }]
      await send('POST', '/orders/bulk', { items, upsert: true, conflict: ['code'] })
      expect(await fired()).toEqual(['created'])
    })

    it('B2: update is PATCH, PUT, bulk and what an upsert updates', async () => {
      const id = await order({ title: 'old', code: 'u1' })
      await send('PATCH', `/orders/${id}`, { total: 1 })
      expect(await fired()).toEqual(WRITTEN)
      await send('PUT', `/orders/${id}`, { title: 'old', code: 'u1', total: 2 })
      expect(await fired()).toEqual(WRITTEN)
      await send('PATCH', '/orders/bulk', { ids: [id], data: { total: 3 } })
      expect(await fired()).toEqual(WRITTEN)
      await send('PATCH', '/orders/bulk', [{ id, total: 4 }])
      expect(await fired()).toEqual(WRITTEN)
      const items = [{ code: 'u1', total: 5 }]
      await send('POST', '/orders/bulk', { items, upsert: true, conflict: ['code'] })
      expect(await fired()).toEqual(WRITTEN)
    })

    it('B2: update is a transition, a custom operation, a restore and a revert too', async () => {
      const id = await order({ title: 'one' })
      await send('POST', `/orders/${id}/transitions/pay`)
      expect(await fired()).toEqual([...MOVED, 'paid'].toSorted())
      await send('POST', `/orders/${id}/note`, {})
      expect(await fired()).toEqual([...WRITTEN, 'retitled'].toSorted())
      await send('POST', `/orders/${id}/revert`, { version: 1 })
      expect(await fired()).toEqual([...MOVED, 'retitled'].toSorted())
      await send('DELETE', `/orders/${id}`)
      expect(await fired()).toEqual(['deleted'])
      await send('POST', `/orders/${id}/restore`)
      expect(await fired()).toEqual(WRITTEN)
    })

    it('B2: transition is any write that takes one, by whatever path', async () => {
      const id = await order({ code: 'm1' })
      await send('PATCH', `/orders/${id}`, { status: 'paid' })
      expect(await fired()).toEqual([...MOVED, 'paid'].toSorted())
      await send('PATCH', '/orders/bulk', [{ id, status: 'open' }])
      expect(await fired()).toEqual(MOVED)
      await send('POST', `/orders/${id}/settle`, {})
      expect(await fired()).toEqual([...MOVED, 'paid'].toSorted())
      await send('POST', `/orders/${id}/transitions/close`)
      expect(await fired()).toEqual(MOVED)
      const items = [{ code: 'm1', status: 'open' }]
      await send('POST', '/orders/bulk', { items, upsert: true, conflict: ['code'] })
      expect(await fired()).toEqual(MOVED)
    })

    it('B2: a key that onDelete nullify empties is an update', async () => {
      const { body } = await send('POST', '/customers', { name: 'Ann' })
      await order({ customerId: body.data.id })
      await send('DELETE', `/customers/${body.data.id}`)
      expect(await fired()).toEqual(WRITTEN)
    })

    it('B2: delete is DELETE and bulk, and every record that a cascade takes along', async () => {
      const parent = await order({ title: 'parent' })
      const child = await order({ title: 'child', parentId: parent })
      await order({ title: 'grandchild', parentId: child })
      await send('DELETE', `/orders/${parent}`)
      expect(await fired()).toEqual(['deleted', 'deleted', 'deleted'])
      const ids = [await order(), await order()]
      await send('DELETE', '/orders/bulk', { ids })
      expect(await fired()).toEqual(['deleted', 'deleted'])
    })

    it('B2: records that come back with another are updated', async () => {
      const parent = await order()
      await order({ parentId: parent })
      await send('DELETE', `/orders/${parent}`)
      await fired()
      await send('POST', `/orders/${parent}/restore`)
      expect(await fired()).toEqual([...WRITTEN, ...WRITTEN].toSorted())
    })

    it('B2: fields narrow an update to writes that change one of their values', async () => {
      const id = await order({ title: 'same' })
      await send('PATCH', `/orders/${id}`, { title: 'same', total: 9 })
      expect(await fired()).toEqual(WRITTEN)
      await send('PATCH', `/orders/${id}`, { title: 'other' })
      expect(await fired()).toEqual([...WRITTEN, 'retitled'].toSorted())
      await send('PUT', `/orders/${id}`, { total: 9 })
      expect(await fired()).toEqual([...WRITTEN, 'retitled'].toSorted())
    })

    it('B2: links meet no rule', async () => {
      const id = await order()
      const { body } = await send('POST', '/tags', { name: 'red' })
      expect((await send('POST', `/orders/${id}/tags`, { tagId: body.data.id })).status).toBe(200)
      expect((await send('DELETE', `/orders/${id}/tags/${body.data.id}`)).status).toBe(200)
      expect(await fired()).toEqual([])
    })

    it('B2: nobody is exempt, neither an administrator nor the server itself', async () => {
      await send('POST', '/orders', {}, server().admin)
      expect(await fired()).toEqual(['created'])
      await asSystem(server(), 'svc.shop.order.create', { data: { title: 'by the server' } })
      expect(await fired()).toEqual(['created'])
    })

    it('B2: a write meets a rule once, though it is an update and a transition', async () => {
      const id = await order()
      await send('POST', `/orders/${id}/transitions/pay`)
      expect((await fired()).filter((name) => name === 'either')).toEqual(['either'])
    })
  })
}
