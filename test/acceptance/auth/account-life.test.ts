import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const AUTH = '/api/v1/auth'
const PASSWORD = 'Correct-horse-7'
const NEW_PASSWORD = 'Battery-staple-8'
const SECRET = 'a secret of tests that is long enough'

for (const store of STORES) {
  describe(`the life of an account on ${store.name}`, () => {
    const server = useTestKernel({ store, environment: 'development' })
    const send = (method: string, path: string, body?: unknown, token?: string) =>
      server().request(method, `${AUTH}/${path}`, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
      })
    const outcome = async (...given: Parameters<typeof send>) => {
      const { status, body } = await send(...given)
      return [status, body?.error_code ?? body?.data]
    }
    const login = async (username: string, password = PASSWORD) => {
      const { body } = await send('POST', 'login', { username, password })
      return { token: String(body.data.access_token), refresh_token: String(body.data.refresh_token) }
    }
    const isIn = async (token: string) => (await send('GET', 'me', undefined, token)).status === 200

    it('has one session for each sign-in, which logout ends one by one', async () => {
      await server().account('ann')
      const [one, two] = [await login('ann'), await login('ann')]
      expect(await outcome('POST', 'logout', undefined, one.token)).toEqual([200, { logged_out: true }])
      expect([await isIn(one.token), await isIn(two.token)]).toEqual([false, true])
      expect(await outcome('POST', 'refresh', { refresh_token: one.refresh_token })).toEqual([
        401,
        'TOKEN_INVALID',
      ])
      expect(await outcome('GET', 'me', undefined, one.token)).toEqual([401, 'TOKEN_INVALID'])
    })

    it('ends all sessions at once with logout-all', async () => {
      const { token } = await server().account('bob')
      const other = await login('bob')
      expect(await outcome('POST', 'logout-all', {}, token)).toEqual([200, { logged_out: true, sessions: 2 }])
      expect([await isIn(token), await isIn(other.token)]).toEqual([false, false])
    })

    it('changes its password, which ends the other sessions', async () => {
      await server().account('cid')
      const [here, there] = [await login('cid'), await login('cid')]
      const change = (current_password: string, new_password: string) =>
        outcome('POST', 'change-password', { current_password, new_password }, here.token)
      expect(await change('Wrong-horse-7', NEW_PASSWORD)).toEqual([401, 'INVALID_CREDENTIALS'])
      expect(await change(PASSWORD, 'weak')).toEqual([422, 'WEAK_PASSWORD'])
      expect([await isIn(here.token), await isIn(there.token)]).toEqual([true, true])
      expect(await change(PASSWORD, NEW_PASSWORD)).toEqual([200, { changed: true }])
      expect([await isIn(here.token), await isIn(there.token)]).toEqual([true, false])
      expect((await send('POST', 'login', { username: 'cid', password: PASSWORD })).status).toBe(401)
      expect(await isIn((await login('cid', NEW_PASSWORD)).token)).toBe(true)
    })

    it('resets its password with a token, once, within an hour, which ends all sessions', async () => {
      const { token } = await server().account('dan')
      const forgot = async () =>
        (await send('POST', 'forgot-password', { email: 'Dan@example.org' })).body.data
      const reset = (given: string, new_password = NEW_PASSWORD) =>
        outcome('POST', 'reset-password', { token: given, new_password })
      const first = (await forgot()).reset_token
      const { reset_token } = await forgot()
      expect(await reset(first)).toEqual([401, 'TOKEN_INVALID'])
      expect(await reset(reset_token, 'weak')).toEqual([422, 'WEAK_PASSWORD'])
      const tries = await Promise.all([1, 2, 3, 4].map(() => reset(reset_token)))
      expect(tries.filter(([status]) => status === 200)).toEqual([[200, { changed: true }]])
      expect(await isIn(token)).toBe(false)
      expect(await isIn((await login('dan', NEW_PASSWORD)).token)).toBe(true)
      const late = (await forgot()).reset_token
      server().clock.advance(3_600_000)
      expect(await reset(late)).toEqual([401, 'TOKEN_INVALID'])
    })

    it('proves its address with a token, once, within a day', async () => {
      const { body } = await send('POST', 'register', {
        username: 'eve',
        email: 'eve@example.org',
        password: PASSWORD,
      })
      const { verification_token: early, access_token: token } = body.data
      const verify = (given: string) => outcome('POST', 'verify-email', { token: given })
      server().clock.advance(86_400_000)
      expect(await verify(early)).toEqual([401, 'TOKEN_INVALID'])
      const { token: now } = await login('eve')
      expect((await outcome('POST', 'resend-verification', {}, token))[1]).toBe('TOKEN_EXPIRED')
      const sent = await send('POST', 'resend-verification', {}, now)
      expect(await verify(sent.body.data.verification_token)).toEqual([200, { verified: true }])
      expect(await verify(sent.body.data.verification_token)).toEqual([401, 'TOKEN_INVALID'])
      expect(await outcome('POST', 'resend-verification', {}, now)).toEqual([409, 'ALREADY_VERIFIED'])
      const changed = await outcome('POST', 'change-email', { new_email: 'Eve2@example.org' }, now)
      expect(changed).toMatchObject([200, { email: 'Eve2@example.org', verified: false }])
      expect((await send('GET', 'me', undefined, now)).body.data).toMatchObject({
        email: 'Eve2@example.org',
        verified: false,
      })
    })

    it('does not take a reset token for a verification, or the other way round', async () => {
      const { token } = await server().account('fay')
      const { reset_token } = (await send('POST', 'forgot-password', { email: 'fay@example.org' })).body.data
      const changed = await send('POST', 'change-email', { new_email: 'fay2@example.org' }, token)
      const { verification_token } = changed.body.data
      expect((await send('POST', 'verify-email', { token: reset_token })).status).toBe(401)
      const stolen = { token: verification_token, new_password: NEW_PASSWORD }
      expect((await send('POST', 'reset-password', stolen)).status).toBe(401)
      // The reset token went to the address of before.
      expect(
        (await send('POST', 'reset-password', { token: reset_token, new_password: NEW_PASSWORD })).status,
      ).toBe(401)
    })

    it('ends by its own hand, and frees its name', async () => {
      const { token } = await server().account('gus')
      const { status, body, headers } = await send('DELETE', 'account', undefined, token)
      expect([status, body, headers.get('content-type')]).toEqual([204, undefined, null])
      expect(await outcome('GET', 'me', undefined, token)).toEqual([401, 'TOKEN_INVALID'])
      expect((await send('POST', 'login', { username: 'gus', password: PASSWORD })).status).toBe(401)
      await server().account('gus')
    })

    it('needs a password that has it all', async () => {
      for (const [password, rules] of [
        ['Ab1-xyz', ['minLength']],
        ['ab1-xyzw', ['uppercase']],
        ['AB1-XYZW', ['lowercase']],
        ['Abc-xyzw', ['digit']],
        ['Abc1xyzw', ['special']],
        ['', ['minLength', 'uppercase', 'lowercase', 'digit', 'special']],
      ] as const) {
        const { status, body } = await send('POST', 'register', {
          username: 'hal',
          email: 'hal@example.org',
          password,
        })
        expect([status, body.error_code]).toEqual([422, 'WEAK_PASSWORD'])
        expect(body.errors.map(({ rule }: { rule: string }) => rule)).toEqual(rules)
      }
    })
  })

  describe(`a relaxed configuration on ${store.name}`, () => {
    const jwt = {
      secret: SECRET,
      issuer: 'elsewhere',
      access_token_ttl_seconds: 5,
      refresh_token_ttl_seconds: 60,
    }
    const server = useTestKernel({ store, config: { auth: { jwt, password: { disable_checking: true } } } })

    it('takes weak passwords, and has lifetimes and an issuer of its own', async () => {
      const { body } = await server().request('POST', `${AUTH}/register`, {
        body: { username: 'ann', email: 'ann@example.org', password: 'x' },
      })
      expect(body.data).toMatchObject({ access_expires_in: 5, refresh_expires_in: 60 })
      const [, claims = ''] = body.data.access_token.split('.')
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).iss).toBe('elsewhere')
      server().clock.advance(5_000)
      const me = await server().request('GET', `${AUTH}/me`, { token: body.data.access_token })
      expect(me.body.error_code).toBe('TOKEN_EXPIRED')
      const refresh = () =>
        server().request('POST', `${AUTH}/refresh`, { body: { refresh_token: body.data.refresh_token } })
      server().clock.advance(55_000)
      expect((await refresh()).body.error_code).toBe('TOKEN_INVALID')
    })
  })
}
