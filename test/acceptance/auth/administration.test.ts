import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const USERS = '/api/v1/admin/users'
const ROLES = '/api/v1/admin/roles'
const AUTH = '/api/v1/auth'
const PASSWORD = 'Correct-horse-7'

for (const store of STORES) {
  describe(`administration on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const data = async (...given: Parameters<typeof send>) => {
      const { status, body } = await send(...given)
      return [status, body?.error_code ?? body?.data]
    }

    it('shows users by id and by name, with roles and the last login', async () => {
      const { id } = await server().account('ann', ['clerk'])
      const [, byId] = await data('GET', `${USERS}/${id}`)
      expect(byId).toEqual({
        id,
        username: 'ann',
        email: 'ann@example.org',
        status: 'active',
        verified: true,
        createdAt: new Date(server().clock.now()).toISOString(),
        roles: ['clerk'],
        lastLoginAt: new Date(server().clock.now()).toISOString(),
      })
      expect(await data('GET', `${USERS}/ANN`)).toEqual([200, byId])
      expect(await data('GET', `${USERS}/nobody`)).toEqual([404, 'NOT_FOUND'])
    })

    it('lists users, a page at a time, by text and status', async () => {
      await server().account('bob')
      await server().account('bobby')
      await send('POST', `${USERS}/bobby/suspend`, {})
      const names = async (query: string) => {
        const { body } = await send('GET', `${USERS}?${query}`)
        expect(body.data.count).toBe(body.data.items.length)
        return body.data.items.map(({ username }: { username: string }) => username)
      }
      expect(await names('')).toEqual(['admin', 'ann', 'bob', 'bobby'])
      expect(await names('limit=2&offset=1')).toEqual(['ann', 'bob'])
      expect(await names('search=BOB')).toEqual(['bob', 'bobby'])
      expect(await names('search=bob&status=suspended')).toEqual(['bobby'])
      expect(await names('status=active')).toEqual(['admin', 'ann', 'bob'])
      const { body } = await send('GET', `${USERS}?limit=1`)
      expect(Object.keys(body.data.items[0]).sort()).toEqual(
        ['createdAt', 'email', 'id', 'status', 'username', 'verified'].sort(),
      )
    })

    it('gives roles by PUT and POST, by id and name, from the next request on', async () => {
      const { id, token } = await server().account('cid')
      const roles = async () => (await send('GET', `${AUTH}/me`, undefined, token)).body.data.roles
      expect(await data('PUT', `${USERS}/${id}/roles`, { roles: ['clerk', 'clerk'] })).toEqual([
        200,
        { username: 'cid', roles: ['clerk'] },
      ])
      expect(await roles()).toEqual(['clerk'])
      expect((await data('POST', `${USERS}/CID/roles`, { roles: ['admin', 'clerk'] }))[1]).toMatchObject({
        roles: ['admin', 'clerk'],
      })
      expect((await send('GET', USERS, undefined, token)).status).toBe(200)
      await send('PUT', `${USERS}/cid/roles`, { roles: [] })
      expect((await send('GET', USERS, undefined, token)).status).toBe(403)
      expect(await data('PUT', `${USERS}/cid/roles`, { roles: ['none'] })).toEqual([422, 'VALIDATION_ERROR'])
      expect(await roles()).toEqual([])
    })

    it('verifies addresses', async () => {
      await server().request('POST', `${AUTH}/register`, {
        body: { username: 'dan', email: 'dan@example.org', password: PASSWORD },
      })
      expect(await data('POST', `${USERS}/dan/verify`)).toEqual([200, { username: 'dan', verified: true }])
      expect((await data('GET', `${USERS}/dan`))[1]).toMatchObject({ verified: true })
    })

    it('suspends from the next request on, and lets in again', async () => {
      const { token } = await server().account('eve')
      const { body } = await server().request('POST', `${AUTH}/login`, {
        body: { username: 'eve', password: PASSWORD },
      })
      const { refresh_token } = body.data
      const refresh = () => server().request('POST', `${AUTH}/refresh`, { body: { refresh_token } })
      expect(await data('POST', `${USERS}/eve/suspend`)).toEqual([
        200,
        { username: 'eve', status: 'suspended' },
      ])
      for (const [method, path] of [
        ['GET', `${AUTH}/me`],
        ['POST', `${AUTH}/logout`],
        ['DELETE', `${AUTH}/account`],
        ['GET', USERS],
      ] as const)
        expect(await data(method, path, undefined, token)).toEqual([403, 'USER_SUSPENDED'])
      expect((await refresh()).body.error_code).toBe('USER_SUSPENDED')
      const login = await server().request('POST', `${AUTH}/login`, {
        body: { username: 'eve', password: PASSWORD },
      })
      expect(login.body.error_code).toBe('USER_SUSPENDED')
      expect(await data('POST', `${USERS}/eve/unsuspend`)).toEqual([
        200,
        { username: 'eve', status: 'active' },
      ])
      expect((await send('GET', `${AUTH}/me`, undefined, token)).status).toBe(200)
      expect((await refresh()).status).toBe(200)
    })

    it('keeps the last active administrator, whoever asks', async () => {
      for (const [method, path, body] of [
        ['POST', `${USERS}/admin/suspend`, {}],
        ['PUT', `${USERS}/admin/roles`, { roles: ['clerk'] }],
        ['DELETE', `${AUTH}/account`, undefined],
      ] as const)
        expect(await data(method, path, body)).toEqual([409, 'CONFLICT'])
      const { token } = await server().account('fay', ['admin'])
      await send('POST', `${USERS}/fay/suspend`, {})
      expect(await data('POST', `${USERS}/admin/suspend`)).toEqual([409, 'CONFLICT'])
      await send('POST', `${USERS}/fay/unsuspend`, {})
      const both = await Promise.all([
        send('POST', `${USERS}/fay/suspend`, {}),
        send('POST', `${USERS}/admin/suspend`, {}, token),
      ])
      const active = (await send('GET', `${USERS}?status=active`, undefined, server().admin)).status
      expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
      expect([200, 403]).toContain(active)
      const survivor = both[0]?.status === 200 ? server().admin : token
      await send('POST', `${USERS}/admin/unsuspend`, {}, survivor)
      await send('POST', `${USERS}/fay/unsuspend`, {}, survivor)
    })

    it('adds roles with names that permissions can use', async () => {
      expect(await data('POST', ROLES, { name: 'editor', description: 'Edits' })).toEqual([
        201,
        { name: 'editor', description: 'Edits' },
      ])
      expect(await data('POST', ROLES, { name: 'editor' })).toEqual([409, 'DUPLICATE'])
      for (const name of ['authenticated', 'owner', '*', 'a b', '1st', '', 'x'.repeat(64)])
        expect([name, ...(await data('POST', ROLES, { name }))]).toEqual([name, 422, 'VALIDATION_ERROR'])
      const [, listed] = await data('GET', ROLES)
      expect(listed).toMatchObject({
        items: [{ name: 'admin' }, { name: 'clerk' }, { name: 'editor', description: 'Edits' }],
        count: 3,
      })
    })

    it('is closed to everybody else', async () => {
      const { token } = await server().account('gus', ['clerk'])
      const routes = server()
        .kernel.actions.list()
        .flatMap(({ routes: own = [] }) => own)
        .filter((route) => route.includes('/admin/'))
      expect(routes.length).toBeGreaterThan(15)
      for (const route of routes) {
        const [method = '', path = ''] = route.replace(/:\w+/g, 'x').split(' ')
        expect([route, (await server().request(method, path)).status]).toEqual([route, 401])
        expect([route, (await server().request(method, path, { token })).status]).toEqual([route, 403])
      }
    })
  })
}
