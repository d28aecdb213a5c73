import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const AUTH = '/api/v1/auth'
const ADMIN = '/api/v1/admin'
const PASSWORD = 'Correct-horse-7'

const USER_ID = { name: 'id', kind: 'uuid', nullable: false } as const
const text = (name: string) => ({ name, kind: 'text', nullable: false }) as const
/** The names of users, as they are stored. */
const USERS = {
  name: 'svc_users',
  columns: [USER_ID, text('username'), text('username_key')],
  primaryKey: [USER_ID],
  indexes: [],
  foreignKeys: [],
}

for (const store of STORES) {
  describe(`answers about accounts on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const send = (method: string, path: string, body?: unknown, token?: string) =>
      server().request(method, path, { ...(token && { token }), ...(body !== undefined && { body }) })

    it('are kept by nobody on their way, refusals neither', async () => {
      const { admin } = server()
      const lines: [string, string, unknown?, string?][] = [
        ['POST', `${AUTH}/login`, { username: 'admin', password: PASSWORD }],
        ['POST', `${AUTH}/login`, { username: 'admin', password: 'wrong' }],
        ['POST', `${AUTH}/login`, '{'],
        ['POST', `${AUTH}/register`, { username: 'new', email: 'new@example.org', password: PASSWORD }],
        ['POST', `${AUTH}/refresh`, { refresh_token: 'none' }],
        ['GET', `${AUTH}/me`],
        ['GET', `${AUTH}/me`, undefined, admin],
        ['GET', `${ADMIN}/users`, undefined, admin],
        ['GET', `${ADMIN}/users/nobody`, undefined, admin],
        ['POST', `${ADMIN}/api-keys`, { name: 'ci' }, admin],
        ['GET', `${ADMIN}/audit`, undefined, admin],
      ]
      for (const [method, path, body, token] of lines) {
        const { status, headers } = await send(method, path, body, token)
        expect([method, path, status, headers.get('cache-control')]).toEqual([
          method,
          path,
          status,
          'no-store',
        ])
      }
    })

    it('say nothing of what records may be kept', async () => {
      expect((await send('GET', '/version')).headers.get('cache-control')).toBeNull()
    })
  })

  describe(`the audit of sign-ins on ${store.name}`, () => {
    const server = useTestKernel({ store, config: { rate_limit: { login_failures: 2 } } })
    const send = (path: string, body: unknown) => server().request('POST', `${AUTH}/${path}`, { body })
    const recorded = async (action: string) => {
      const { body } = await server().request('GET', `${ADMIN}/audit?action=${action}`, {
        token: server().admin,
      })
      return body.data.items
        .map(
          ({ username, statusCode }: Record<string, unknown>) => `${String(username)} ${String(statusCode)}`,
        )
        .reverse()
    }

    it('names the account that each was for, and no name that nobody has [2.2]', async () => {
      await server().account('mia')
      await send('login', { username: 'MIA@example.org', password: PASSWORD })
      for (const username of ['mia', 'Mia', 'mia@example.org', 'nobody']) {
        await send('login', { username, password: 'my password by mistake' })
      }
      expect(await recorded('auth.login')).toEqual([
        'admin 200',
        'mia 200',
        'mia 200',
        'mia 401',
        'mia 401',
        'mia 429',
        'null 401',
      ])
    })

    it('names who registers and who refreshes a token [2.2]', async () => {
      const account = { username: 'ben', email: 'ben@example.org', password: PASSWORD }
      const { body } = await send('register', account)
      await send('register', { ...account, username: 'nobody' })
      await send('refresh', { refresh_token: body.data.refresh_token })
      await send('refresh', { refresh_token: 'unknown' })
      expect(await recorded('auth.register')).toEqual(['ben 201', 'null 409'])
      expect(await recorded('auth.refresh')).toEqual(['ben 200', 'null 401'])
    })
  })

  describe(`usernames on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const register = (username: string) =>
      server().request('POST', `${AUTH}/register`, {
        body: { username, email: `${username}@example.org`, password: PASSWORD },
      })

    it("are never somebody's id [5.3]", async () => {
      const { id } = await server().account('owner')
      for (const username of [id, id.toUpperCase(), '00000000-0000-0000-0000-000000000000']) {
        const { status, body } = await register(username)
        expect([status, body.errors?.[0]]).toMatchObject([422, { field: 'username', rule: 'pattern' }])
        await expect(server().account(username)).rejects.toThrow()
      }
      expect((await register(`${id}x`)).status).toBe(201)
    })

    it('that look like an id stand behind ids, where an earlier release let them be [5.3]', async () => {
      const { id } = await server().account('real')
      const nobody = '00000000-0000-7000-8000-000000000000'
      for (const [username, name] of [
        ['first', id],
        ['second', nobody],
      ] as const) {
        const { id: renamed } = await server().account(username)
        await server()
          .kernel.get(StoreCapability)
          .transaction((transaction) =>
            transaction.update({
              table: USERS,
              set: { username: name, username_key: name },
              where: { op: 'eq', column: USER_ID, value: renamed },
            }),
          )
      }
      const found = async (name: string) =>
        (await server().request('GET', `${ADMIN}/users/${name}`, { token: server().admin })).body.data
      expect((await found(id)).username).toBe('real')
      expect((await found(nobody)).email).toBe('second@example.org')
      const login = { username: id, password: PASSWORD }
      expect((await server().request('POST', `${AUTH}/login`, { body: login })).status).toBe(200)
    })
  })

  describe(`registration on ${store.name}`, () => {
    const auth = (registration: object) => ({
      auth: { jwt: { secret: 'a secret of tests that is long enough' }, registration },
    })
    const closed = useTestKernel({ store, config: auth({ enabled: false }) })
    const open = useTestKernel({ store, config: auth({ roles: ['member', 'guest'] }) })
    const account = { username: 'ada', email: 'ada@example.org', password: PASSWORD }

    it('can be closed: it is 403 then, and says so, whatever is sent [1.2]', async () => {
      for (const body of [account, {}, { username: 5 }]) {
        const answer = await closed().request('POST', `${AUTH}/register`, { body })
        expect([answer.status, answer.body.error_code]).toEqual([403, 'FORBIDDEN'])
        expect(answer.body.error_message).toContain('Registration is closed')
      }
      const { body } = await closed().request('GET', `${ADMIN}/users`, { token: closed().admin })
      expect(body.data.items.map(({ username }: { username: string }) => username)).toEqual(['admin'])
    })

    it('is offered by the document only where it is open', async () => {
      for (const [server, isOffered] of [
        [closed(), false],
        [open(), true],
      ] as const) {
        const { body } = await server.request('GET', '/api/v1/openapi.json')
        expect(Object.hasOwn(body.paths, `${AUTH}/register`)).toBe(isOffered)
      }
    })

    it('gives the roles that are configured, which are there from the start [1.2]', async () => {
      const { status, body } = await open().request('POST', `${AUTH}/register`, { body: account })
      expect([status, body.data.roles, body.data.user.roles]).toEqual([
        201,
        ['guest', 'member'],
        ['guest', 'member'],
      ])
      const me = await open().request('GET', `${AUTH}/me`, { token: body.data.access_token })
      expect(me.body.data.roles).toEqual(['guest', 'member'])
    })

    it('keeps its roles from being removed', async () => {
      const remove = (name: string) =>
        open().request('DELETE', `${ADMIN}/roles/${name}`, { token: open().admin })
      const { status, body } = await remove('member')
      expect([status, body.error_code]).toEqual([409, 'CONFLICT'])
      expect(body.error_message).toContain('auth.registration.roles')
    })
  })
}
