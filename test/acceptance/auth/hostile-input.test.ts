import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const AUTH = '/api/v1/auth'
const USERS = '/api/v1/admin/users'
const PASSWORD = 'Correct-horse-7'

/** What every endpoint of accounts takes, and who may call it. */
const BODIES = [
  ['POST', `${AUTH}/login`, { username: 'ann', password: PASSWORD }, 'stranger'],
  ['POST', `${AUTH}/register`, { username: 'new', email: 'new@example.org', password: PASSWORD }, 'stranger'],
  ['POST', `${AUTH}/refresh`, { refresh_token: 'x' }, 'stranger'],
  ['POST', `${AUTH}/forgot-password`, { email: 'ann@example.org' }, 'stranger'],
  ['POST', `${AUTH}/reset-password`, { token: 'x', new_password: PASSWORD }, 'stranger'],
  ['POST', `${AUTH}/verify-email`, { token: 'x' }, 'stranger'],
  ['POST', `${AUTH}/change-password`, { current_password: PASSWORD, new_password: PASSWORD }, 'user'],
  ['POST', `${AUTH}/change-email`, { new_email: 'ann2@example.org' }, 'user'],
  ['PUT', `${USERS}/ann/roles`, { roles: [] }, 'admin'],
  ['POST', '/api/v1/admin/roles', { name: 'role' }, 'admin'],
  ['POST', '/api/v1/admin/api-keys', { name: 'key' }, 'admin'],
] as const

for (const store of STORES) {
  describe(`hostile input to accounts on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const send = (method: string, path: string, body?: unknown, token?: string) =>
      server().request(method, path, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
      })
    const register = (given: Readonly<Record<string, unknown>>) =>
      send('POST', `${AUTH}/register`, {
        username: 'mallory',
        email: 'mallory@example.org',
        password: PASSWORD,
        ...given,
      })

    it('cannot give itself more than a name, an address and a password', async () => {
      for (const more of [
        { roles: ['admin'] },
        { role: 'admin' },
        { status: 'active' },
        { verified: true },
        { id: '00000000-0000-4000-8000-000000000000' },
        { origin: 'seeded' },
        { password_hash: 'x' },
        { created_at: '2020-01-01T00:00:00Z' },
      ]) {
        const { status, body } = await register(more)
        const [field] = Object.keys(more)
        expect([status, body.errors]).toMatchObject([422, [{ field, rule: 'unknown' }]])
      }
      expect((await send('GET', `${USERS}/mallory`, undefined, server().admin)).status).toBe(404)
    })

    it('cannot have names that mislead, or that no store can hold', async () => {
      for (const username of [
        'ad\u0000min',
        '\u0430dmin', // a Cyrillic letter that looks like `a`
        'admin\u200b', // a space of no width
        'ＡＤＭＩＮ',
        'admin ',
        'a\nb',
        '../admin',
        'key:ci',
        'x'.repeat(10_000),
        'ab',
        '',
        'system',
        'ADMIN',
        'a@b.example',
      ]) {
        const { status } = await register({ username })
        expect([username, status]).toEqual([username, /^(system|admin)$/i.test(username) ? 409 : 422])
      }
    })

    it('cannot have addresses that mail could be led astray by', async () => {
      for (const email of [
        'a@example.org\r\nBcc: b@example.org',
        'a@example.org, b@example.org',
        'a@example.org\u0000',
        '<a@example.org>',
        'a b@example.org',
        'a@exämple.org',
        'a@example',
        'a@-x.org',
        `${'x'.repeat(65)}@example.org`,
        `a@${'x.'.repeat(5_000)}org`,
        '@example.org',
        'a@@example.org',
      ]) {
        const { status, body } = await register({ email })
        expect([email, status, body.error_code]).toEqual([email, 422, 'VALIDATION_ERROR'])
      }
    })

    it('cannot make the server hash a long text', async () => {
      const { status, body } = await register({ password: `aA1-${'é'.repeat(511)}` })
      expect([status, body.errors?.[0]?.field]).toEqual([422, 'password'])
      const long = await send('POST', `${AUTH}/login`, { username: 'admin', password: 'x'.repeat(1025) })
      expect(long.status).toBe(422)
      expect((await register({ username: 'longest', password: `aA1-${'é'.repeat(510)}` })).status).toBe(201)
    })

    it('gets 4xx for a body of any wrong kind, never 500', async () => {
      const { token: user } = await server().account('ann')
      const tokens = { stranger: undefined, user, admin: server().admin }
      for (const [method, path, right, who] of BODIES) {
        const wrong: unknown[] = ['null', '[]', '7', '"text"', 'true', '{', '', '{}', { ...right, extra: 1 }]
        for (const field of Object.keys(right))
          for (const value of [null, 7, true, [], {}, [[]], { $gt: '' }, '\u0000', 'a\ud800'])
            if (!(field === 'roles' && Array.isArray(value) && value.length === 0))
              wrong.push({ ...right, [field]: value })
        for (const body of wrong) {
          const { status, body: answer } = await send(method, path, body, tokens[who])
          const expected = body === '{' || body === '' ? [400, 422] : [422]
          expect([path, body, status, answer.error_code]).toEqual([
            path,
            body,
            expect.toSatisfy((code: number) => expected.includes(code)),
            expect.toSatisfy((code: string) =>
              ['VALIDATION_ERROR', 'BAD_REQUEST', 'WEAK_PASSWORD'].includes(code),
            ),
          ])
        }
      }
      expect((await send('GET', `${AUTH}/me`, undefined, user)).status).toBe(200)
    })

    it('gets the same answer for a known and an unknown name', async () => {
      const shape = ({ status, body, headers }: Awaited<ReturnType<typeof send>>) => [
        status,
        body,
        headers.get('www-authenticate'),
      ]
      const login = async (username: string, password = 'Wrong-horse-7') =>
        shape(await send('POST', `${AUTH}/login`, { username, password }))
      expect(await login('admin')).toEqual(await login('nobody'))
      expect(await login('admin@example.org')).toEqual(await login('nobody@example.org'))
      await server().account('shut')
      await send('POST', `${USERS}/shut/suspend`, {}, server().admin)
      expect(await login('shut')).toEqual(await login('nobody'))
      const forgot = async (email: string) => shape(await send('POST', `${AUTH}/forgot-password`, { email }))
      expect(await forgot('admin@example.org')).toEqual(await forgot('nobody@example.org'))
      expect(await forgot('shut@example.org')).toEqual(await forgot('nobody@example.org'))
    })

    it('is refused in addresses too', async () => {
      const { admin } = server()
      for (const path of ['%00', '%ff', '..%2f', 'x'.repeat(5_000), "'%20or%201=1"])
        expect([path, (await send('GET', `${USERS}/${path}`, undefined, admin)).status]).toEqual([
          path,
          expect.toSatisfy((status: number) => status >= 400 && status < 500),
        ])
      for (const query of ['limit=x', 'offset=1e3', 'status=gone', 'search=%00', 'limit=1.5', 'limit=']) {
        const { status, body } = await send('GET', `${USERS}?${query}`, undefined, admin)
        expect([query, status, body.error_code]).toEqual([query, 400, 'INVALID_QUERY'])
      }
      const { body } = await send(
        'GET',
        `${USERS}?search=%25&limit=100000&offset=-5&colour=red`,
        undefined,
        admin,
      )
      expect(body.warnings).toMatchObject([{ rule: 'ignored', severity: 'info' }])
      expect(body.data.count).toBeGreaterThan(0)
    })
  })
}
