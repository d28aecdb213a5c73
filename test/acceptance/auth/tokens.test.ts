import { createHmac, generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const ME = '/api/v1/auth/me'
const KEY = Buffer.from('a secret of tests that is long enough')
const PASSWORD = 'Correct-horse-7'

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const decoded = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const hmac = (text: string, hash = 'sha256') => createHmac(hash, KEY).update(text).digest('base64url')

for (const store of STORES) {
  describe(`access tokens on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const me = async (headers: Readonly<Record<string, string>>) => {
      const { status, body } = await server().request('GET', ME, { headers })
      return status === 200 ? 'let in' : `${status} ${body.error_code}`
    }
    const bearer = (token: string) => me({ authorization: `Bearer ${token}` })
    let accounts = 0
    const account = (): Promise<TestAccount> => server().account(`user-${++accounts}`)
    const signed = (claims: Record<string, unknown>, key = KEY) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(key)

    it('say who signed in, and where and until when they are good', async () => {
      const { id, token } = await account()
      const seconds = server().clock.now() / 1000
      expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({
        alg: 'HS256',
      })
      expect(decoded(token)).toEqual({
        sub: id,
        username: `user-${accounts}`,
        email: `user-${accounts}@example.org`,
        roles: [],
        iat: seconds,
        exp: seconds + 900,
        iss: 'svc',
        sid: expect.any(String),
        jti: expect.any(String),
      })
    })

    it('are refused where another algorithm is named, or none', async () => {
      const { token } = await account()
      const payload = encoded(decoded(token))
      for (const alg of ['none', 'None', 'NONE', '']) {
        expect(await bearer(`${encoded({ alg })}.${payload}.`)).toBe('401 TOKEN_INVALID')
        expect(await bearer(`${encoded({ alg })}.${payload}.${token.split('.')[2]}`)).toBe(
          '401 TOKEN_INVALID',
        )
      }
      for (const [alg, hash] of [
        ['HS384', 'sha384'],
        ['HS512', 'sha512'],
      ] as const) {
        const text = `${encoded({ alg })}.${payload}`
        expect(await bearer(`${text}.${hmac(text, hash)}`)).toBe('401 TOKEN_INVALID')
      }
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const rsa = await new SignJWT(decoded(token)).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)
      expect(await bearer(rsa)).toBe('401 TOKEN_INVALID')
      for (const header of [
        { alg: 'HS256', crit: ['exp'] },
        { alg: 'HS256', crit: ['x'], x: 1 },
        {},
        null,
        7,
      ]) {
        const text = `${encoded(header)}.${payload}`
        expect(await bearer(`${text}.${hmac(text)}`)).toBe('401 TOKEN_INVALID')
      }
    })

    it('are refused where a claim is missing, wrong or of another kind', async () => {
      const { token } = await account()
      const claims = decoded(token)
      const other = await account()
      const changes: readonly Record<string, unknown>[] = [
        { iss: 'elsewhere' },
        { iss: undefined },
        { iss: ['svc'] },
        { sub: undefined },
        { sub: 7 },
        { sub: "' or 1=1 --" },
        { sub: other.id },
        { sub: '00000000-0000-4000-8000-000000000000' },
        { sid: undefined },
        { sid: decoded(other.token)['sid'] },
        { sid: claims['sub'] },
        { sid: '\u0000' },
        { sid: { $ne: null } },
        { exp: undefined },
        { exp: 'later' },
        { nbf: server().clock.now() / 1000 + 3600 },
      ]
      for (const change of changes) {
        const payload = encoded({ ...claims, ...change })
        const text = `${encoded({ alg: 'HS256' })}.${payload}`
        expect([change, await bearer(`${text}.${hmac(text)}`)]).toEqual([change, '401 TOKEN_INVALID'])
      }
      expect(await bearer(await signed(claims, Buffer.from('another secret, as long as that one')))).toBe(
        '401 TOKEN_INVALID',
      )
      expect(await bearer(await signed({ ...claims, exp: 1 }))).toBe('401 TOKEN_EXPIRED')
      expect(await bearer(await signed(claims))).toBe('let in')
    })

    it('are refused where they are cut, changed or no tokens at all', async () => {
      const { token } = await account()
      const [header, payload, signature] = token.split('.') as [string, string, string]
      const altered = encoded({ ...decoded(token), roles: ['admin'] })
      for (const wrong of [
        '..',
        '.',
        '...',
        `${header}..${signature}`,
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `.${payload}.${signature}`,
        `${header}.${altered}.${signature}`,
        `${header}.${payload}.${signature.slice(0, -2)}`,
        `${token}.${signature}`,
        `${token}=`,
        'x'.repeat(9000),
        'null',
        'undefined',
      ])
        expect([wrong, await bearer(wrong)]).toEqual([wrong, '401 TOKEN_INVALID'])
      for (const authorization of ['Bearer', 'Basic YTpi', `Token ${token}`, `Bearer ${token} x`, token])
        expect([authorization, await me({ authorization })]).toEqual([authorization, '401 TOKEN_INVALID'])
      expect(await me({})).toBe('401 UNAUTHORIZED')
      expect(await me({ authorization: `bearer  ${token}` })).toBe('let in')
    })

    it('are not taken from the address', async () => {
      const { token } = await account()
      const { status } = await server().request('GET', `${ME}?access_token=${token}`)
      expect(status).toBe(401)
    })

    it('and refresh tokens do not stand in for each other', async () => {
      const { token } = await account()
      const { body } = await server().request('POST', '/api/v1/auth/login', {
        body: { username: `user-${accounts}`, password: PASSWORD },
      })
      expect(await bearer(body.data.refresh_token)).toBe('401 TOKEN_INVALID')
      for (const refresh_token of [token, 'x', `${body.data.refresh_token}x`]) {
        const answer = await server().request('POST', '/api/v1/auth/refresh', { body: { refresh_token } })
        expect([answer.status, answer.body.error_code]).toEqual([401, 'TOKEN_INVALID'])
      }
    })

    it('name the scheme when they are refused, and tell nobody why', async () => {
      const answer = await server().request('GET', ME, { token: 'x' })
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
      expect(Object.keys(answer.body).sort()).toEqual(['code', 'error_code', 'error_message', 'status'])
    })
  })
}
