import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { useFullHashes } from '../../../test/kit/argon2.ts'
import { STORES } from '../../../test/kit/stores.ts'
import { PASSWORD, startServer } from './auth.testkit.ts'

for (const store of STORES) {
  describe(`sign-in on ${store.name}`, () => {
    it('answers tokens and the user, by username or email, whatever the case', async () => {
      const { create, request } = await startServer(store)
      const { id, createdAt } = await create('Ada', ['admin'])
      for (const username of ['Ada', 'ADA', 'ada@EXAMPLE.com']) {
        const { status, body } = await request('POST /api/v1/auth/login', {
          body: { username, password: PASSWORD },
        })
        expect(status).toBe(200)
        expect(body.data).toEqual({
          access_token: expect.any(String),
          refresh_token: expect.any(String),
          token_type: 'Bearer',
          access_expires_in: 900,
          refresh_expires_in: 604_800,
          roles: ['admin'],
          user: {
            id,
            username: 'Ada',
            email: 'Ada@example.com',
            status: 'active',
            verified: false,
            roles: ['admin'],
            created_at: createdAt,
          },
        })
      }
    })

    it('signs access tokens with the documented claims', async () => {
      const { create, login, clock } = await startServer(store, {
        auth: { jwt: { secret: 'x'.repeat(32), issuer: 'here', access_token_ttl_seconds: 60 } },
      })
      const { id } = await create('ada', ['admin'])
      const { access_token } = await login('ada')
      const iat = Math.floor(clock.ms / 1000)
      expect(decodeProtectedHeader(access_token)).toEqual({ alg: 'HS256', typ: 'JWT' })
      expect(decodeJwt(access_token)).toEqual({
        sub: id,
        username: 'ada',
        email: 'ada@example.com',
        roles: ['admin'],
        iss: 'here',
        iat,
        exp: iat + 60,
        sid: expect.any(String),
        jti: expect.any(String),
      })
    })

    it('answers a wrong password and an unknown name alike', async () => {
      const { create, request } = await startServer(store)
      await create('ada')
      const wrong = await request('POST /api/v1/auth/login', { body: { username: 'ada', password: 'no' } })
      const unknown = await request('POST /api/v1/auth/login', { body: { username: 'bob', password: 'no' } })
      expect(wrong.status).toBe(401)
      expect(wrong.body.error_code).toBe('INVALID_CREDENTIALS')
      expect([unknown.status, unknown.body]).toEqual([wrong.status, wrong.body])
    })

    it('takes the password as it is: case and spaces count', async () => {
      const { create, request } = await startServer(store)
      await create('ada')
      for (const password of [PASSWORD.toLowerCase(), `${PASSWORD} `]) {
        const { status } = await request('POST /api/v1/auth/login', { body: { username: 'ada', password } })
        expect(status).toBe(401)
      }
    })

    it('refuses a suspended user who knows the password, and nobody else learns of it', async () => {
      const { create, request, kernel } = await startServer(store)
      await create('ada')
      await kernel.callAs({ ...system(), roles: ['admin'] })('admin.users.suspend', { user: 'ada' })
      const login = (password: string) =>
        request('POST /api/v1/auth/login', { body: { username: 'ada', password } })
      expect((await login(PASSWORD)).body.error_code).toBe('USER_SUSPENDED')
      expect((await login('wrong')).body.error_code).toBe('INVALID_CREDENTIALS')
    })

    it('lets nobody guess on: ten failures of an account and address, then 429 even for the right password', async () => {
      const { create, request } = await startServer(store)
      await create('ada')
      const login = (password: string, remote = '192.0.2.1') =>
        request('POST /api/v1/auth/login', { body: { username: 'Ada', password }, remote })
      const tries = await Promise.all(Array.from({ length: 14 }, () => login('wrong')))
      expect(tries.filter(({ status }) => status === 401)).toHaveLength(10)
      expect(tries.filter(({ status }) => status === 429)).toHaveLength(4)
      const late = await login(PASSWORD)
      expect(late.body.error_code).toBe('RATE_LIMITED')
      expect(Number(late.headers['Retry-After'])).toBeGreaterThan(0)
      expect((await login(PASSWORD, '192.0.2.2')).status).toBe(200)
    })

    it('counts the failures of an account together, by whatever name it was called [1.2]', async () => {
      const { create, request } = await startServer(store)
      const { id } = await create('ada')
      const login = async (username: string, password = 'wrong') =>
        (await request('POST /api/v1/auth/login', { body: { username, password } })).status
      for (const name of ['ada', 'ADA', 'ada@example.com', 'Ada@Example.com', 'ada'])
        expect([await login(name), await login(name)]).toEqual([401, 401])
      for (const name of ['ada', 'ada@example.com']) expect(await login(name, PASSWORD)).toBe(429)
      // Names that nobody has count for themselves, the id of an account too.
      for (const name of ['bob', 'bob@example.com', id]) {
        for (let i = 0; i < 10; i++) expect(await login(name)).toBe(401)
        expect(await login(name)).toBe(429)
      }
    })

    it('counts wrong passwords of a sign-in and of a change of the password together', async () => {
      const { create, request, login } = await startServer(store)
      await create('ada')
      const { access_token: token } = await login('ada')
      const body = { current_password: 'wrong', new_password: PASSWORD }
      for (let i = 0; i < 10; i++)
        expect((await request('POST /api/v1/auth/change-password', { token, body })).status).toBe(401)
      const late = { username: 'ada@example.com', password: PASSWORD }
      expect((await request('POST /api/v1/auth/login', { body: late })).status).toBe(429)
    })

    describe('where hashes take their time', () => {
      useFullHashes()

      it('lets others sign in while one client fills the line', async () => {
        const { create, request } = await startServer(store)
        await create('ada')
        const login = (username: string, password: string, remote: string) =>
          request('POST /api/v1/auth/login', { body: { username, password }, remote })
        const flood = Promise.all(Array.from({ length: 300 }, () => login('nobody', 'wrong', '192.0.2.1')))
        const person = await login('ada', PASSWORD, '192.0.2.2')
        const refused = (await flood).filter(({ status }) => status === 503)
        expect(refused.length).toBeGreaterThan(0)
        expect(refused[0]?.headers['Retry-After']).toBe('1')
        expect(person.status).toBe(200)
      })
    })

    it('counts the failures of a whole IPv6 network together', async () => {
      const { create, request } = await startServer(store)
      await create('ada')
      const login = (password: string, remote: string) =>
        request('POST /api/v1/auth/login', { body: { username: 'ada', password }, remote })
      for (let i = 1; i <= 10; i++) expect((await login('wrong', `2001:db8:1:2::${i}`)).status).toBe(401)
      expect((await login(PASSWORD, '2001:db8:1:2:ffff:1:2:3')).status).toBe(429)
      expect((await login(PASSWORD, '2001:db8:1:3::1')).status).toBe(200)
    })

    it('lets many sign in to one account at once', async () => {
      const { create, login } = await startServer(store)
      await create('ada')
      const answers = await Promise.all(Array.from({ length: 20 }, () => login('ada')))
      expect(new Set(answers.map(({ refresh_token }) => refresh_token)).size).toBe(20)
    })

    it('refuses what is no sign-in with 422 that names every fault', async () => {
      const { request } = await startServer(store)
      const faults = async (body: unknown) => {
        const answer = await request('POST /api/v1/auth/login', { body })
        expect(answer.status).toBe(422)
        return answer.body.errors.map(({ field, rule }: Record<string, string>) => [field, rule])
      }
      expect(await faults({ username: 5, extra: 1 })).toEqual([
        ['username', 'type'],
        ['password', 'required'],
        ['extra', 'unknown'],
      ])
      expect(await faults(['ada'])).toEqual([['', 'type']])
      expect(await faults({ username: 'ada', password: 'é'.repeat(513) })).toEqual([
        ['password', 'maxLength'],
      ])
    })

    it('takes no password from the address', async () => {
      const { create, request } = await startServer(store)
      await create('ada')
      const query = { username: 'ada', password: PASSWORD }
      expect((await request('POST /api/v1/auth/login', { query })).status).toBe(422)
    })
  })

  describe(`refresh on ${store.name}`, () => {
    const line = 'POST /api/v1/auth/refresh'

    it('gives a new pair with the roles of now, once', async () => {
      const { create, login, accounts, request } = await startServer(store)
      const { id } = await create('ada')
      const first = await login('ada')
      await accounts.grantRoles(id, ['admin'])
      const { status, body } = await request(line, { body: { refresh_token: first.refresh_token } })
      expect(status).toBe(200)
      expect(body.data.roles).toEqual(['admin'])
      expect(body.data.refresh_token).not.toBe(first.refresh_token)
      expect((await request(line, { body: { refresh_token: body.data.refresh_token } })).status).toBe(200)
    })

    it('ends the family when a token is used twice: its access tokens are refused at once', async () => {
      const { create, login, request } = await startServer(store)
      await create('ada')
      const stolen = await login('ada')
      const other = await login('ada')
      const next = (await request(line, { body: { refresh_token: stolen.refresh_token } })).body.data
      expect((await request('GET /api/v1/auth/me', { token: next.access_token })).status).toBe(200)

      const again = await request(line, { body: { refresh_token: stolen.refresh_token } })
      expect([again.status, again.body.error_code]).toEqual([401, 'TOKEN_INVALID'])
      expect((await request(line, { body: { refresh_token: next.refresh_token } })).status).toBe(401)
      expect((await request('GET /api/v1/auth/me', { token: next.access_token })).status).toBe(401)
      expect((await request('GET /api/v1/auth/me', { token: stolen.access_token })).status).toBe(401)
      expect((await request('GET /api/v1/auth/me', { token: other.access_token })).status).toBe(200)
    })

    it('has one winner among many uses at once', async () => {
      const { create, login, request } = await startServer(store)
      await create('ada')
      const { refresh_token } = await login('ada')
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => request(line, { body: { refresh_token } })),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(9)
    })

    it('refuses tokens that ran out and tokens that never were', async () => {
      const { create, login, request, clock } = await startServer(store)
      await create('ada')
      const { refresh_token } = await login('ada')
      clock.ms += 604_800_000
      for (const token of [refresh_token, 'never']) {
        const answer = await request(line, { body: { refresh_token: token } })
        expect([answer.status, answer.body.error_code]).toEqual([401, 'TOKEN_INVALID'])
      }
    })

    it('does not use up the token of a suspended user', async () => {
      const { create, login, request, kernel } = await startServer(store)
      await create('ada')
      const { refresh_token } = await login('ada')
      const asAdmin = kernel.callAs({ ...system(), roles: ['admin'] })
      await asAdmin('admin.users.suspend', { user: 'ada' })
      expect((await request(line, { body: { refresh_token } })).body.error_code).toBe('USER_SUSPENDED')
      await asAdmin('admin.users.unsuspend', { user: 'ada' })
      expect((await request(line, { body: { refresh_token } })).status).toBe(200)
    })
  })

  describe(`logout on ${store.name}`, () => {
    it('ends the present session and no other', async () => {
      const { create, login, request } = await startServer(store)
      await create('ada')
      const [one, two] = [await login('ada'), await login('ada')]
      const { status, body } = await request('POST /api/v1/auth/logout', { token: one.access_token })
      expect([status, body.data]).toEqual([200, { logged_out: true }])
      const refused = await request('GET /api/v1/auth/me', { token: one.access_token })
      expect([refused.status, refused.body.error_code]).toEqual([401, 'TOKEN_INVALID'])
      expect(
        (await request('POST /api/v1/auth/refresh', { body: { refresh_token: one.refresh_token } })).status,
      ).toBe(401)
      expect((await request('GET /api/v1/auth/me', { token: two.access_token })).status).toBe(200)
    })

    it('ends the session of a refresh token too, but only one of the same user', async () => {
      const { create, login, request } = await startServer(store)
      await Promise.all([create('ada'), create('eve')])
      const [one, two, victim] = [await login('ada'), await login('ada'), await login('eve')]
      const logout = (token: string, refresh_token: string) =>
        request('POST /api/v1/auth/logout', { token, body: { refresh_token } })
      await logout(one.access_token, two.refresh_token)
      expect((await request('GET /api/v1/auth/me', { token: two.access_token })).status).toBe(401)
      await logout((await login('ada')).access_token, victim.refresh_token)
      expect((await request('GET /api/v1/auth/me', { token: victim.access_token })).status).toBe(200)
    })

    it('ends all sessions and counts them', async () => {
      const { create, login, request } = await startServer(store)
      await create('ada')
      const all = [await login('ada'), await login('ada'), await login('ada')]
      const { body } = await request('POST /api/v1/auth/logout-all', { token: all[0]!.access_token })
      expect(body.data).toEqual({ logged_out: true, sessions: 3 })
      for (const { access_token: token } of all)
        expect((await request('GET /api/v1/auth/me', { token })).status).toBe(401)
    })
  })
}

const system = () =>
  ({ kind: 'system', id: null, username: 'system', email: null, roles: [], claims: {} }) as const
