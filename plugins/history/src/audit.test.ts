import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { useTestKernel } from '../../../test/kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      object:
        number: { type: integer, required: true, unique: true }
        note: text
        margin: decimal
        password: password
        tags: { type: set, items: string }
        status: { type: string, enum: [open, paid], default: open }
        userId: uuid
        updatedAt: { type: datetime, autoNow: update }
        deletedAt: datetime
      features: { audit: true, softDelete: true }
      audit: { exclude: [updatedAt], retention: { days: 30 } }
      permissions:
        list: [owner, manager]
        get: [owner, manager]
        create: [authenticated]
        update: [authenticated]
        delete: [authenticated]
        fields: { margin: { read: [manager], mask: true } }
    Part:
      object: { id: { type: string, primaryKey: true }, price: decimal, stock: integer }
      features: { audit: true }
      audit: { track: [price] , tableName: part_prices }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Note:
      object: { text: string }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const ORDERS = '/api/v1/shop/orders'
const PARTS = '/api/v1/shop/parts'

for (const store of STORES) {
  describe(`the audit of records on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const tokens = new Map<string, string>()
    const as = async (name: string, roles: readonly string[] = []) => {
      const known = tokens.get(name) ?? (await server().account(name, roles)).token
      tokens.set(name, known)
      return known
    }
    const manager = () => as('mary', ['manager'])
    const send = async (method: string, path: string, body?: unknown, token?: string) =>
      server().request(method, path, {
        token: token ?? (await manager()),
        ...(body !== undefined && { body }),
      })
    const order = async (body: object, token?: string): Promise<string> =>
      (await send('POST', ORDERS, body, token)).body.data.id
    const entries = async (path: string, token?: string) =>
      (await send('GET', path, undefined, token)).body.data

    it('says who created, changed and deleted a record, the newest first', async () => {
      const id = await order({ number: 1, note: 'a', password: 'Correct-horse-7' })
      server().clock.advance(1000)
      await send('PATCH', `${ORDERS}/${id}`, { note: 'b', password: 'Correct-horse-8' })
      server().clock.advance(1000)
      await send('DELETE', `${ORDERS}/${id}`)
      const { items, totalCount } = await entries(`${ORDERS}/${id}/audit`)
      expect(totalCount).toBe(3)
      expect(items[0]).toEqual({
        id: expect.any(String),
        recordId: id,
        action: 'delete',
        operation: 'delete',
        userId: expect.any(String),
        username: 'mary',
        timestamp: '2026-03-01T12:00:02.000Z',
        changes: { _action: 'delete' },
      })
      expect(items[1]).toMatchObject({ action: 'update', changes: { note: { from: 'a', to: 'b' } } })
      expect(Object.keys(items[1].changes)).toEqual(['note'])
      expect(items[2]).toMatchObject({
        action: 'create',
        changes: { id: { to: id }, number: { to: 1 }, note: { to: 'a' }, status: { to: 'open' } },
      })
      expect(JSON.stringify(items)).not.toContain('argon2')
    })

    it('covers PUT, bulk and the refusal of one row of many', async () => {
      const id = await order({ number: 10, note: 'x' })
      await send('PUT', `${ORDERS}/${id}`, { number: 10 })
      await send('PATCH', `${ORDERS}/bulk`, { ids: [id], data: { note: 'bulk' } })
      const made = await send('POST', `${ORDERS}/bulk`, { items: [{ number: 11 }, { number: 10 }] })
      expect(made.body.data).toMatchObject({ created: 1, failed: 1 })
      const { items } = await entries(`${ORDERS}/${id}/audit`)
      expect(items.map(({ changes }: { changes: object }) => changes)).toMatchObject([
        { note: { from: null, to: 'bulk' } },
        { note: { from: 'x', to: null } },
        { number: { to: 10 } },
      ])
      const all = await entries(`${ORDERS}/audit?limit=2`)
      expect(all.items[0]).toMatchObject({ action: 'create', changes: { number: { to: 11 } } })
      expect(all.meta).toMatchObject({ per_page: 2, has_next: true })
    })

    it('writes nothing where the record was not written', async () => {
      const before = (await entries(`${ORDERS}/audit`)).totalCount
      expect((await send('POST', ORDERS, { number: 1 })).status).toBe(201)
      expect((await send('POST', ORDERS, { number: 1 })).status).toBe(409)
      expect((await entries(`${ORDERS}/audit`)).totalCount).toBe(before + 1)
    })

    it('shows a caller no field that the caller may not read, and no record', async () => {
      const bob = await as('bob')
      const mine = await order({ number: 20 }, bob)
      const others = await order({ number: 21, margin: 5 })
      await send('PATCH', `${ORDERS}/${mine}`, { margin: 3.5, note: 'n' })
      const { items } = await entries(`${ORDERS}/${mine}/audit`, bob)
      expect(items[0].changes).toEqual({ note: { from: null, to: 'n' } })
      expect((await entries(`${ORDERS}/${mine}/audit`)).items[0].changes).toMatchObject({
        margin: { from: null, to: 3.5 },
      })
      expect((await send('GET', `${ORDERS}/${others}/audit`, undefined, bob)).status).toBe(403)
      const all = await entries(`${ORDERS}/audit`, bob)
      expect(new Set(all.items.map(({ recordId }: { recordId: string }) => recordId))).toEqual(
        new Set([mine]),
      )
      expect((await server().request('GET', `${ORDERS}/audit`)).status).toBe(401)
    })

    it('can be narrowed by time and by user, and refuses what it cannot read', async () => {
      const bob = await as('bob')
      const id = await order({ number: 30 }, bob)
      const [created] = (await entries(`${ORDERS}/${id}/audit`)).items
      server().clock.advance(60_000)
      await send('PATCH', `${ORDERS}/${id}`, { note: 'later' })
      const count = async (query: string) => (await entries(`${ORDERS}/${id}/audit?${query}`)).items.length
      expect(await count(`userId=${created.userId}`)).toBe(1)
      expect(await count('userId=nobody')).toBe(0)
      expect(await count(`after=${created.timestamp}`)).toBe(1)
      expect(await count('before=2026-03-01T13:00:10%2B01:00')).toBe(1)
      expect(await count('before=2026-03-01')).toBe(0)
      expect(await count('offset=1&limit=5')).toBe(1)
      for (const query of [
        'after=yesterday',
        'before=2026-13-01',
        'limit=many',
        'after=9999-12-31T23:59:59-10:00',
      ]) {
        const { status, body } = await send('GET', `${ORDERS}/${id}/audit?${query}`)
        expect([query, status, body.error_code]).toEqual([query, 400, 'INVALID_QUERY'])
      }
      const { body } = await send('GET', `${ORDERS}/${id}/audit?event=x`)
      expect(body.warnings).toMatchObject([{ rule: 'ignored' }])
      expect((await send('GET', `${ORDERS}/${id}/audit?userId=%00`)).status).toBeLessThan(500)
    })

    it('tracks the named fields alone, and outlives the record', async () => {
      await send('POST', PARTS, { id: 'P1', price: 10, stock: 1 })
      await send('PATCH', `${PARTS}/P1`, { stock: 2 })
      await send('PATCH', `${PARTS}/P1`, { price: 12.5, stock: 3 })
      await send('DELETE', `${PARTS}/P1`)
      expect((await send('GET', `${PARTS}/P1`)).status).toBe(404)
      const { items } = await entries(`${PARTS}/P1/audit`)
      expect(items.map(({ changes }: { changes: object }) => changes)).toEqual([
        { _action: 'delete' },
        { price: { from: 10, to: 12.5 } },
        { price: { to: 10 } },
      ])
      expect((await send('GET', `${PARTS}/never/audit`)).status).toBe(404)
      expect((await send('GET', '/api/v1/shop/notes/audit')).status).toBe(404)
    })

    it('loses what is older than its retention, and nothing else', async () => {
      const id = await order({ number: 40 })
      server().clock.advance(29 * 86_400_000)
      tokens.clear()
      const token = (await server().account('late', ['manager'])).token
      await send('PATCH', `${ORDERS}/${id}`, { note: 'young' }, token)
      const parts = (await entries(`${PARTS}/audit`, token)).totalCount
      server().clock.advance(2 * 86_400_000)
      const { removed } = (await server().kernel.callAs(SYSTEM)('history.sweep', {})) as { removed: number }
      expect(removed).toBeGreaterThan(5)
      const again = (await server().account('later', ['manager'])).token
      expect((await entries(`${ORDERS}/audit`, again)).items).toMatchObject([
        { action: 'update', recordId: id },
      ])
      expect((await entries(`${PARTS}/audit`, again)).totalCount).toBe(parts)
    })
  })
}
