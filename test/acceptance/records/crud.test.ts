import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { CUSTOMERS, ORDERS, SHOP } from '../shop.ts'

for (const store of STORES) {
  describe(`records on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    let order = ''

    it('are created with their defaults, and answered whole', async () => {
      const placedAt = '2026-03-01T13:30:00+01:00'
      const { status, body } = await send('POST', ORDERS, { number: 1, total: 19.9, code: 'AB12', placedAt })
      expect({ status, code: body.code, envelope: body.status }).toEqual({
        status: 201,
        code: 201,
        envelope: 'ok',
      })
      const now = '2026-03-01T12:00:00.000Z'
      expect(body.data).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        number: 1,
        status: 'open',
        total: 19.9,
        note: null,
        code: 'AB12',
        placedAt: '2026-03-01T12:30:00.000Z',
        approval: 'none',
        createdAt: now,
        updatedAt: now,
        customerId: null,
      })
      order = body.data.id
    })

    it('are read back as they were answered', async () => {
      const created = await send('POST', ORDERS, { number: 2, note: 'Grüße 🚲' })
      const read = await send('GET', `${ORDERS}/${created.body.data.id}`)
      expect(read.status).toBe(200)
      expect(read.body.data).toEqual(created.body.data)
    })

    it('are changed field by field with PATCH, and remember when', async () => {
      server().clock.advance(60_000)
      const { status, body } = await send('PATCH', `${ORDERS}/${order}`, { status: 'paid' })
      expect(status).toBe(200)
      expect(body.data).toMatchObject({
        status: 'paid',
        total: 19.9,
        code: 'AB12',
        createdAt: '2026-03-01T12:00:00.000Z',
        updatedAt: '2026-03-01T12:01:00.000Z',
      })
    })

    it('are replaced whole with PUT: what is absent takes its default or null', async () => {
      const { status, body } = await send('PUT', `${ORDERS}/${order}`, { number: 1, note: 'again' })
      expect(status).toBe(200)
      expect(body.data).toMatchObject({ number: 1, note: 'again', status: 'open', total: null })
      expect(body.data).toMatchObject({ id: order, createdAt: '2026-03-01T12:00:00.000Z' })
    })

    it('are answered with the same data and no body to HEAD', async () => {
      const { status, body } = await send('HEAD', `${ORDERS}/${order}`)
      expect({ status, body }).toEqual({ status: 200, body: undefined })
    })

    it('keep a key that the client chose, once', async () => {
      const id = '0190b3c4-0000-7000-8000-000000000001'
      const body = { id, name: 'Ann', email: 'ann@example.org' }
      expect((await send('POST', CUSTOMERS, body)).body.data.id).toBe(id)
      const again = await send('POST', CUSTOMERS, { ...body, email: 'other@example.org' })
      expect([again.status, again.body.error_code]).toEqual([409, 'DUPLICATE'])
    })

    it('are gone once they are deleted', async () => {
      const { body } = await send('POST', CUSTOMERS, { name: 'Bob', email: 'bob@example.org' })
      const path = `${CUSTOMERS}/${body.data.id}`
      const deleted = await send('DELETE', path)
      expect([deleted.status, deleted.body, deleted.headers.get('content-type')]).toEqual([
        204,
        undefined,
        null,
      ])
      expect((await send('GET', path)).status).toBe(404)
      expect((await send('DELETE', path)).status).toBe(404)
    })
  })
}
