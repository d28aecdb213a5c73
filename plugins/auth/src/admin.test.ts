import { createKernel, type Plugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { PASSWORD, type Request, SECRET, startServer } from './auth.testkit.ts'
import { auth } from './index.ts'

for (const store of STORES) {
  /** A server with an administrator, and requests in their name. */
  const start = async () => {
    const server = await startServer(store)
    const root = await server.create('root', ['admin'])
    const { access_token: token } = await server.login('root')
    const admin = async (line: string, given: Request = {}) => {
      const [method, path] = line.split(' ')
      const { status, body } = await server.request(`${method} /api/v1/admin/${path}`, { token, ...given })
      return { ...body, status, code: body.error_code }
    }
    return { ...server, root, token, admin }
  }

  describe(`administration on ${store.name}`, () => {
    it('is for administrators alone', async () => {
      const { create, login, request, kernel } = await start()
      await create('ada')
      const { access_token: token } = await login('ada')
      const routes = kernel.actions.list().flatMap(({ routes: own }) => own ?? [])
      const guarded = routes
        .filter((route) => route.includes('/admin/'))
        .map((route) => route.replace(':user', 'ada'))
      expect(guarded).toHaveLength(16)
      for (const line of guarded) {
        expect((await request(line)).status).toBe(401)
        expect((await request(line, { token })).status).toBe(403)
      }
    })

    it('lists users by search and status, a page at a time', async () => {
      const { create, admin, root } = await start()
      const ada = await create('Ada')
      await create('bob')
      await admin('POST users/bob/suspend')
      const list = async (query: Record<string, string> = {}) => {
        const { data } = await admin('GET users', { query })
        expect(data.count).toBe(data.items.length)
        return data.items.map(({ username }: { username: string }) => username)
      }
      expect((await admin('GET users', { query: { search: 'ADA@' } })).data.items).toEqual([
        {
          id: ada.id,
          username: 'Ada',
          email: 'Ada@example.com',
          status: 'active',
          verified: false,
          createdAt: ada.createdAt,
        },
      ])
      expect(await list()).toEqual([root.username, 'Ada', 'bob'])
      expect(await list({ status: 'suspended' })).toEqual(['bob'])
      expect(await list({ limit: '1', offset: '1' })).toEqual(['Ada'])
      expect(await list({ limit: '0' })).toEqual(['root'])
      expect(await list({ offset: '-5', limit: '99999999999' })).toHaveLength(3)
      for (const query of [{ limit: 'x' }, { offset: '1.5' }, { status: 'gone' }])
        expect(await admin('GET users', { query })).toMatchObject({ status: 400, code: 'INVALID_QUERY' })
      const { warnings } = await admin('GET users', { query: { serach: 'x' } })
      expect(warnings).toMatchObject([{ rule: 'ignored', severity: 'info' }])
    })

    it('shows one user by id or username', async () => {
      const { create, admin, clock, login } = await start()
      const ada = await create('Ada')
      await login('ada')
      const expected = {
        id: ada.id,
        username: 'Ada',
        email: 'Ada@example.com',
        status: 'active',
        verified: false,
        createdAt: ada.createdAt,
        roles: [],
        lastLoginAt: new Date(clock.ms).toISOString(),
      }
      for (const name of [ada.id, ada.id.toUpperCase(), 'ADA'])
        expect((await admin(`GET users/${name}`)).data).toEqual(expected)
      for (const name of ['nobody', '00000000-0000-4000-8000-000000000000', "x'--"])
        expect(await admin(`GET users/${name}`)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    })

    it('gives and takes roles by PUT and POST', async () => {
      const { create, admin, login, request } = await start()
      await create('ada')
      const { access_token: token } = await login('ada')
      expect(await admin('POST roles', { body: { name: 'editor', description: 'Edits' } })).toMatchObject({
        status: 201,
        data: { name: 'editor', description: 'Edits' },
      })
      const given = await admin('PUT users/ada/roles', { body: { roles: ['editor', 'admin', 'editor'] } })
      expect(given.data).toEqual({ username: 'ada', roles: ['admin', 'editor'] })
      expect((await request('GET /api/v1/auth/me', { token })).body.data.roles).toEqual(['admin', 'editor'])
      expect((await request('GET /api/v1/admin/roles', { token })).status).toBe(200)
      const taken = await admin('POST users/ada/roles', { body: { roles: [] } })
      expect(taken.data).toEqual({ username: 'ada', roles: [] })
      expect((await request('GET /api/v1/admin/roles', { token })).status).toBe(403)
    })

    it('refuses roles that are not there, keys that are not known, and names that permissions need', async () => {
      const { create, admin } = await start()
      await create('ada')
      const faults = async (line: string, body: unknown) => {
        const answer = await admin(line, { body })
        expect(answer.status).toBe(422)
        return answer.errors.map(({ field, rule }: Record<string, string>) => [field, rule])
      }
      expect(await faults('PUT users/ada/roles', { roles: ['ghost'] })).toEqual([['roles.0', 'reference']])
      expect(await faults('PUT users/ada/roles', { roles: 'admin' })).toEqual([['roles', 'type']])
      expect(await faults('PUT users/ada/roles', { roles: [], user: 'root' })).toEqual([['user', 'unknown']])
      expect(await faults('POST users/ada/suspend', { why: 'x' })).toEqual([['why', 'unknown']])
      for (const name of ['*', '?', 'owner', 'authenticated', '', 'a b'])
        expect(await faults('POST roles', { name })).toEqual([['name', expect.any(String)]])
      expect(await admin('POST roles', { body: { name: 'admin' } })).toMatchObject({
        status: 409,
        code: 'DUPLICATE',
      })
    })

    it('lists the built-in role among the others', async () => {
      const { admin } = await start()
      await admin('POST roles', { body: { name: 'zoo', description: '' } })
      const { data } = await admin('GET roles')
      expect(data).toEqual({
        items: [
          { name: 'admin', description: expect.any(String) },
          { name: 'zoo', description: '' },
        ],
        count: 2,
      })
    })

    it('verifies, suspends from the next request on, and lets in again', async () => {
      const { create, admin, login, request } = await start()
      await create('ada')
      const { access_token: token } = await login('ada')
      const me = async () => (await request('GET /api/v1/auth/me', { token })).body
      expect((await admin('POST users/ada/verify')).data).toEqual({ username: 'ada', verified: true })
      expect((await me()).data.verified).toBe(true)
      expect((await admin('POST users/ada/suspend')).data).toEqual({ username: 'ada', status: 'suspended' })
      expect(await me()).toMatchObject({ code: 403, error_code: 'USER_SUSPENDED' })
      expect((await admin('POST users/ada/unsuspend')).data).toEqual({ username: 'ada', status: 'active' })
      expect((await me()).status).toBe('ok')
    })

    it('keeps the last active administrator, also when two let go at once', async () => {
      const { create, admin, login, request, token, root, accounts } = await start()
      const conflict = { status: 409, code: 'CONFLICT' }
      const body = { roles: [] }
      expect(await admin('PUT users/root/roles', { body })).toMatchObject(conflict)
      expect(await admin('POST users/root/suspend')).toMatchObject(conflict)
      expect((await request('DELETE /api/v1/auth/account', { token })).status).toBe(409)

      await create('idle', ['admin'])
      await admin('POST users/idle/suspend')
      expect(await admin('POST users/root/suspend')).toMatchObject(conflict)

      const ada = await create('ada', ['admin'])
      const { access_token: hers } = await login('ada')
      for (let round = 0; round < 5; round++) {
        for (const warm of [token, hers]) await request('GET /api/v1/auth/me', { token: warm })
        const both = await Promise.all([
          request('PUT /api/v1/admin/users/root/roles', { token, body }),
          request('PUT /api/v1/admin/users/ada/roles', { token: hers, body }),
        ])
        expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
        for (const { id } of [root, ada]) await accounts.grantRoles(id, ['admin'])
      }
    })
  })

  describe(`accounts for other plugins on ${store.name}`, () => {
    it('answer who is there', async () => {
      const { accounts, create } = await startServer(store)
      const ada = await create('ada')
      const gone = '00000000-0000-4000-8000-000000000000'
      expect(await accounts.exists([ada.id, gone, 'x'])).toEqual(new Set([ada.id]))
      expect(await accounts.describe([gone, ada.id])).toEqual([{ id: ada.id, username: 'ada' }])
      expect(await accounts.describe([])).toEqual([])
      expect(await accounts.find('ADA')).toEqual(ada)
      expect(await accounts.find(ada.id)).toEqual(ada)
      expect(await accounts.find('bob')).toBeUndefined()
    })

    it('are made whole or not at all', async () => {
      const { accounts } = await startServer(store)
      const given = { username: 'ada', email: 'ada@example.com', password: PASSWORD }
      await expect(accounts.create({ ...given, roles: ['ghost'] })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      })
      expect(await accounts.find('ada')).toBeUndefined()
      const made = await accounts.create({ ...given, roles: ['admin'], verified: true })
      expect(made).toMatchObject({ roles: ['admin'], verified: true, origin: 'registered' })
      await expect(accounts.create(given)).rejects.toMatchObject({ code: 'USER_EXISTS' })
    })

    it('get a new password, which ends their sessions', async () => {
      const { accounts, create, login, request } = await startServer(store)
      const { id } = await create('ada')
      const { access_token: token } = await login('ada')
      await accounts.setPassword(id, 'Another-one-9')
      expect((await request('GET /api/v1/auth/me', { token })).status).toBe(401)
      await login('ada', 'Another-one-9')
      const gone = '00000000-0000-4000-8000-000000000000'
      await expect(accounts.setPassword(gone, 'Another-one-9')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })
  })
}

describe('configuration', () => {
  const [store] = STORES
  const start = async (section: object) => {
    const database = await store!.open()
    const plugins: Plugin[] = [store!.plugin, auth]
    try {
      const kernel = createKernel({ config: { ...database.config(), auth: section }, plugins })
      await kernel.start()
      await kernel.stop()
    } finally {
      await database.drop()
    }
  }

  it.each([
    [{}, /jwt/],
    [{ jwt: { secret: 'short' } }, /'auth.jwt.secret' must have at least 32 characters/],
    [{ jwt: { secret: SECRET, algorithm: 'none' } }, /auth.jwt.algorithm/],
    [{ jwt: { secret: SECRET }, prefix: 'api' }, /auth.prefix/],
    [{ jwt: { secret: SECRET }, store: 'other' }, /store 'other' is not there/],
  ])('refuses to start with %o', async (section, reason) => {
    await expect(start(section)).rejects.toThrow(reason)
  })

  it('puts every route under the prefix', async () => {
    const server = await startServer(store!, { auth: { jwt: { secret: SECRET }, prefix: '/v2/x' } })
    const routes = server.kernel.actions.list().flatMap(({ routes: own }) => own ?? [])
    expect(routes.every((route) => /^[A-Z]+ \/v2\/x\/(auth|admin)\//.test(route))).toBe(true)
  })
})
