import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { ORDERS, SHOP } from '../shop.ts'

const ROLES = '/api/v1/admin/roles'

for (const store of STORES) {
  describe(`roles on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const names = async () =>
      (await send('GET', ROLES)).body.data.items.map(({ name }: { name: string }) => name)

    it('are taken from their holders when they are removed, from the next request on', async () => {
      const { token } = await server().account('mia', ['manager'])
      const { body } = await send('POST', ORDERS, { number: 1 })
      const remove = () => server().request('DELETE', `${ORDERS}/${body.data.id}`, { token })
      const me = async () => (await server().request('GET', '/api/v1/auth/me', { token })).body.data.roles
      expect(await me()).toEqual(['manager'])
      expect((await send('DELETE', `${ROLES}/manager`)).status).toBe(204)
      expect(await me()).toEqual([])
      expect((await remove()).body.error_code).toBe('FORBIDDEN')
      expect(await names()).toEqual(['admin'])
      expect((await send('GET', '/api/v1/admin/users/mia')).body.data.roles).toEqual([])
    })

    it('come back empty when they are made again', async () => {
      expect((await send('POST', ROLES, { name: 'manager', description: 'again' })).status).toBe(201)
      expect((await send('GET', '/api/v1/admin/users/mia')).body.data.roles).toEqual([])
    })

    it('stay where they are built in or unknown', async () => {
      expect((await send('DELETE', `${ROLES}/admin`)).body.error_code).toBe('CONFLICT')
      for (const name of ['none', 'MANAGER', '%00', '%F0%9F%92%A5'])
        expect((await send('DELETE', `${ROLES}/${name}`)).body.error_code).toBe('NOT_FOUND')
      expect(await names()).toEqual(['admin', 'manager'])
    })

    it('are removed by administrators alone', async () => {
      const { token } = await server().account('plain')
      expect((await server().request('DELETE', `${ROLES}/manager`, { token })).status).toBe(403)
      expect((await server().request('DELETE', `${ROLES}/manager`)).status).toBe(401)
    })

    it('are either given or refused while they are removed', async () => {
      const { id } = await server().account('nat')
      for (let round = 0; round < 10; round++) {
        await send('POST', ROLES, { name: 'brief' })
        const [given, removed] = await Promise.all([
          send('PUT', `/api/v1/admin/users/${id}/roles`, { roles: ['brief'] }),
          send('DELETE', `${ROLES}/brief`),
        ])
        expect([200, 422]).toContain(given.status)
        expect(removed.status).toBe(204)
        expect((await send('GET', `/api/v1/admin/users/${id}`)).body.data.roles).toEqual([])
      }
    })
  })
}
