import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { CUSTOMERS, MEMOS, ORDERS, SECRETS, SHOP } from '../shop.ts'

for (const store of STORES) {
  describe(`permissions on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    let clerk: TestAccount
    let manager: TestAccount
    let order = ''

    beforeAll(async () => {
      clerk = await server().account('clerk', ['clerk'])
      manager = await server().account('manager', ['manager'])
      const { body } = await send('POST', ORDERS, manager.token, { number: 1, margin: 0.4 })
      order = `${ORDERS}/${body.data.id}`
    })

    const send = (method: string, path: string, token?: string, body?: unknown) =>
      server().request(method, path, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
      })
    const outcome = async (method: string, path: string, token?: string, body?: unknown) => {
      const answer = await send(method, path, token, body)
      return [answer.status, answer.body?.error_code]
    }

    it('let everybody do what is public', async () => {
      expect(await outcome('GET', CUSTOMERS)).toEqual([200, undefined])
    })

    it('let a bad token pass where none is needed', async () => {
      expect(await outcome('GET', CUSTOMERS, 'nonsense')).toEqual([200, undefined])
    })

    it('ask strangers to sign in', async () => {
      expect(await outcome('GET', ORDERS)).toEqual([401, 'UNAUTHORIZED'])
      expect(await outcome('GET', ORDERS, 'nonsense')).toEqual([401, 'TOKEN_INVALID'])
    })

    it('are asked before the record is looked for', async () => {
      expect(await outcome('GET', `${ORDERS}/unknown`)).toEqual([401, 'UNAUTHORIZED'])
    })

    it('need one of the listed roles, and admin is no exception', async () => {
      expect(await outcome('DELETE', order, clerk.token)).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('DELETE', order, server().admin)).toEqual([403, 'FORBIDDEN'])
    })

    it('shut everybody out with an empty list', async () => {
      expect(await outcome('GET', SECRETS)).toEqual([401, 'UNAUTHORIZED'])
      expect(await outcome('GET', SECRETS, server().admin)).toEqual([403, 'FORBIDDEN'])
    })

    it('are for administrators where nothing is said', async () => {
      expect(await outcome('GET', MEMOS, clerk.token)).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('GET', MEMOS, server().admin)).toEqual([200, undefined])
    })

    describe('of fields', () => {
      it('leave out what the caller may not read', async () => {
        expect((await send('GET', order, clerk.token)).body.data).not.toHaveProperty('margin')
        expect((await send('GET', order, manager.token)).body.data.margin).toBe(0.4)
        const { body } = await send('GET', `${ORDERS}?fields=margin`, clerk.token)
        expect(body.data.items[0]).not.toHaveProperty('margin')
      })

      it('drop what the caller may not write, and say so nowhere else than in the record', async () => {
        const { status } = await send('PATCH', order, clerk.token, { margin: 0.9, note: 'mine' })
        expect(status).toBe(200)
        expect((await send('GET', order, manager.token)).body.data).toMatchObject({
          margin: 0.4,
          note: 'mine',
        })
      })

      it('refuse a required field that the caller may not write', async () => {
        expect(await outcome('PATCH', order, clerk.token, { approval: 'granted' })).toEqual([
          403,
          'FIELD_FORBIDDEN',
        ])
        expect((await send('PATCH', order, manager.token, { approval: 'granted' })).status).toBe(200)
      })
    })

    it('follow a change of roles on the next request of a live token', async () => {
      const path = '/api/v1/admin/users/clerk/roles'
      await send('PUT', path, server().admin, { roles: ['manager'] })
      expect((await send('GET', order, clerk.token)).body.data.margin).toBe(0.4)
      await send('PUT', path, server().admin, { roles: ['clerk'] })
      expect((await send('GET', order, clerk.token)).body.data).not.toHaveProperty('margin')
    })
  })
}
