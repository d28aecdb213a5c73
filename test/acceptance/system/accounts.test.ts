import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const AUTH = '/api/v1/auth'
const USERS = '/api/v1/admin/users'
const PASSWORD = 'Correct-horse-7'

for (const store of STORES) {
  describe(`accounts on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const post = (path: string, body: unknown, token?: string) =>
      server().request('POST', path, { body, ...(token !== undefined && { token }) })
    const me = (token: string) => server().request('GET', `${AUTH}/me`, { token })
    const outcome = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body?.error_code]

    it('are made by their owners', async () => {
      const { status, body } = await post(`${AUTH}/register`, {
        username: 'ann',
        email: 'ann@example.org',
        password: PASSWORD,
      })
      expect(status).toBe(201)
      expect(body.data).toMatchObject({
        token_type: 'Bearer',
        access_expires_in: 900,
        refresh_expires_in: 604_800,
        roles: [],
        user: { username: 'ann', email: 'ann@example.org', status: 'active', verified: false, roles: [] },
      })
      expect((await me(body.data.access_token)).body.data).toEqual(body.data.user)
    })

    it('have a name and an address of their own, whatever the case', async () => {
      const taken = (username: string, email: string) =>
        post(`${AUTH}/register`, { username, email, password: PASSWORD }).then(outcome)
      expect(await taken('ANN', 'other@example.org')).toEqual([409, 'USER_EXISTS'])
      expect(await taken('other', 'Ann@Example.org')).toEqual([409, 'USER_EXISTS'])
    })

    it('need a strong password', async () => {
      const weak = { username: 'weak', email: 'weak@example.org', password: 'password' }
      expect(outcome(await post(`${AUTH}/register`, weak))).toEqual([422, 'WEAK_PASSWORD'])
    })

    it('are signed in to by name or address, with the right password only', async () => {
      for (const username of ['ann', 'ANN', 'ann@example.org'])
        expect((await post(`${AUTH}/login`, { username, password: PASSWORD })).status).toBe(200)
      for (const [username, password] of [
        ['ann', PASSWORD.toUpperCase()],
        ['nobody', PASSWORD],
      ])
        expect(outcome(await post(`${AUTH}/login`, { username, password }))).toEqual([
          401,
          'INVALID_CREDENTIALS',
        ])
    })

    it('have refresh tokens that work once, and take the session with them when used twice', async () => {
      const { body } = await post(`${AUTH}/login`, { username: 'ann', password: PASSWORD })
      const { refresh_token } = body.data
      const next = await post(`${AUTH}/refresh`, { refresh_token })
      expect(next.status).toBe(200)
      expect(outcome(await post(`${AUTH}/refresh`, { refresh_token }))).toEqual([401, 'TOKEN_INVALID'])
      expect(outcome(await me(next.body.data.access_token))).toEqual([401, 'TOKEN_INVALID'])
    })

    it('give one of many refreshes at once a new pair', async () => {
      const { body } = await post(`${AUTH}/login`, { username: 'ann', password: PASSWORD })
      const { refresh_token } = body.data
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => post(`${AUTH}/refresh`, { refresh_token })),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    })

    it('are shut by an administrator from the next request on', async () => {
      const { token } = await server().account('cid')
      const { admin } = server()
      const suspended = await post(`${USERS}/cid/suspend`, {}, admin)
      expect(suspended.body.data).toEqual({ username: 'cid', status: 'suspended' })
      expect(outcome(await me(token))).toEqual([403, 'USER_SUSPENDED'])
      await post(`${USERS}/cid/unsuspend`, {}, admin)
      expect((await post(`${AUTH}/login`, { username: 'cid', password: PASSWORD })).status).toBe(200)
    })

    it('keep one administrator', async () => {
      const { request, admin } = server()
      const demoted = await request('PUT', `${USERS}/admin/roles`, { token: admin, body: { roles: [] } })
      expect(outcome(demoted)).toEqual([409, 'CONFLICT'])
      expect(outcome(await post(`${USERS}/admin/suspend`, {}, admin))).toEqual([409, 'CONFLICT'])
    })

    it('are listed for administrators alone', async () => {
      const { token } = await server().account('dan')
      expect((await server().request('GET', USERS, { token })).status).toBe(403)
      const { body } = await server().request('GET', `${USERS}?search=dan`, { token: server().admin })
      expect(body.data.items.map(({ username }: { username: string }) => username)).toEqual(['dan'])
      expect(JSON.stringify(body)).not.toMatch(/argon|password/)
    })

    it('never say more to a stranger who forgot a password', async () => {
      const known = await post(`${AUTH}/forgot-password`, { email: 'ann@example.org' })
      const unknown = await post(`${AUTH}/forgot-password`, { email: 'nobody@example.org' })
      expect([known.status, known.body]).toEqual([200, unknown.body])
    })

    it('have access tokens that end', async () => {
      const { token } = await server().account('bob')
      expect((await me(token)).status).toBe(200)
      server().clock.advance(901_000)
      expect(outcome(await me(token))).toEqual([401, 'TOKEN_EXPIRED'])
    })
  })
}
