import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { ORDERS, SHOP } from '../shop.ts'

const KEYS = '/api/v1/admin/api-keys'
const ME = '/api/v1/auth/me'
const MINUTE = 60_000
const NOTES = `
domain:
  name: notes
  version: '1.0'
  resources:
    Note:
      object: { text: string }
      relationships: { owner: { type: belongsTo, target: User } }
      permissions:
        { list: [authenticated], get: [authenticated], create: [authenticated], update: [owner], delete: [owner] }
`

for (const store of STORES) {
  describe(`API keys on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    let admin = ''

    // Each test signs in anew: the clock of the one before may have moved past the token.
    const signIn = async () => {
      const { body } = await server().request('POST', '/api/v1/auth/login', {
        body: { username: 'admin', password: 'Correct-horse-7' },
      })
      admin = body.data.access_token
    }
    beforeAll(async () => {
      await signIn()
      await server().account('somebody', ['clerk', 'manager'])
    })

    const send = (method: string, path: string, token?: string, body?: unknown) =>
      server().request(method, path, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
      })
    const outcome = async (...given: Parameters<typeof send>) => {
      const { status, body } = await send(...given)
      return [status, body?.error_code]
    }
    const make = async (body: Readonly<Record<string, unknown>>) => {
      const answer = await send('POST', KEYS, admin, body)
      expect([answer.status, answer.body]).toMatchObject([201, { status: 'ok' }])
      return answer.body.data
    }
    const shown = async (name: string) => {
      const { body } = await send('GET', KEYS, admin)
      return body.data.items.find((item: { name: string }) => item.name === name)
    }

    it('are shown once, on creation', async () => {
      const made = await make({ name: 'ci', roles: ['manager', 'clerk'] })
      expect(made.key).toMatch(/^svc_[A-Za-z0-9_-]{43}$/)
      const { key, ...rest } = made
      expect(rest).toMatchObject({
        name: 'ci',
        roles: ['clerk', 'manager'],
        createdBy: 'admin',
        expiresAt: null,
        lastUsedAt: null,
      })
      const { body } = await send('GET', KEYS, admin)
      expect(body.data).toEqual({ items: [rest], count: 1 })
      expect(JSON.stringify(body)).not.toContain(key.slice(4))
    })

    it('let a machine in under a name and with roles of its own', async () => {
      const { key, id } = await make({ name: 'robot', roles: ['clerk'] })
      const me = { id, username: 'key:robot', roles: ['clerk'], api_key: true }
      expect((await send('GET', ME, key)).body.data).toEqual(me)
      const { status, body } = await send('POST', ORDERS, key, { number: 7 })
      expect(status).toBe(201)
      expect(await outcome('DELETE', `${ORDERS}/${body.data.id}`, key)).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('GET', KEYS, key)).toEqual([403, 'FORBIDDEN'])
      const { key: other } = await make({ name: 'boss', roles: ['manager'] })
      expect(await outcome('DELETE', `${ORDERS}/${body.data.id}`, other)).toEqual([204, undefined])
      await expect
        .poll(
          async () => (await send('GET', '/api/v1/admin/audit?username=key:robot', admin)).body.data.count,
        )
        .toBeGreaterThan(0)
    })

    it('own what they make', async () => {
      await server().submit(NOTES)
      const [{ key, id }, { key: other }] = [await make({ name: 'writer' }), await make({ name: 'reader' })]
      const { status, body } = await send('POST', '/api/v1/notes/notes', key, { text: 'one' })
      expect([status, body.data]).toMatchObject([201, { ownerId: id }])
      const note = `/api/v1/notes/notes/${body.data.id}`
      expect(await outcome('PATCH', note, other, { text: 'two' })).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('PATCH', note, key, { text: 'two' })).toEqual([200, undefined])
    })

    it('administrate where they have the role', async () => {
      const { key } = await make({ name: 'root', roles: ['admin'] })
      expect((await send('GET', '/api/v1/admin/users', key)).status).toBe(200)
    })

    it('cannot act for an account', async () => {
      const { key } = await make({ name: 'nobody' })
      const password = { current_password: 'Correct-horse-7', new_password: 'Correct-horse-8' }
      for (const [method, path, body] of [
        ['POST', 'logout', {}],
        ['POST', 'logout-all', {}],
        ['POST', 'change-password', password],
        ['POST', 'resend-verification', {}],
        ['POST', 'change-email', { new_email: 'x@example.org' }],
        ['GET', 'sessions', undefined],
        ['DELETE', 'sessions/00000000-0000-4000-8000-000000000000', undefined],
        ['DELETE', 'account', undefined],
      ] as const)
        expect([path, ...(await outcome(method, `/api/v1/auth/${path}`, key, body))]).toEqual([
          path,
          403,
          'FORBIDDEN',
        ])
      expect(await outcome('POST', '/api/v1/auth/refresh', undefined, { refresh_token: key })).toEqual([
        401,
        'TOKEN_INVALID',
      ])
    })

    it('are no good from the request after their removal', async () => {
      const { key, id } = await make({ name: 'gone' })
      expect((await send('GET', ME, key)).status).toBe(200)
      expect(await outcome('DELETE', `${KEYS}/${id}`, admin)).toEqual([204, undefined])
      expect(await outcome('GET', ME, key)).toEqual([401, 'TOKEN_INVALID'])
      for (const unknown of [id, 'gone', '%00', "' or 1=1"])
        expect(await outcome('DELETE', `${KEYS}/${unknown}`, admin)).toEqual([404, 'NOT_FOUND'])
    })

    it('lose a role with the role', async () => {
      await send('POST', '/api/v1/admin/roles', admin, { name: 'passing' })
      const { key } = await make({ name: 'holder', roles: ['passing'] })
      expect((await send('GET', ME, key)).body.data.roles).toEqual(['passing'])
      await send('DELETE', '/api/v1/admin/roles/passing', admin)
      expect((await send('GET', ME, key)).body.data.roles).toEqual([])
      expect((await shown('holder')).roles).toEqual([])
    })

    it('are no good from the moment they expire', async () => {
      const at = new Date(server().clock.now() + 10 * MINUTE)
      const { key, expiresAt } = await make({
        name: 'short',
        expiresAt: at.toISOString().replace('Z', '+00:00'),
      })
      expect(expiresAt).toBe(at.toISOString())
      server().clock.advance(10 * MINUTE - 1)
      expect((await send('GET', ME, key)).status).toBe(200)
      server().clock.advance(1)
      expect(await outcome('GET', ME, key)).toEqual([401, 'TOKEN_INVALID'])
      await signIn()
    })

    it('tell when they were last used, to the minute', async () => {
      const { key } = await make({ name: 'used' })
      expect((await shown('used')).lastUsedAt).toBeNull()
      const first = new Date(server().clock.now()).toISOString()
      await send('GET', ME, key)
      await expect.poll(async () => (await shown('used')).lastUsedAt).toBe(first)
      server().clock.advance(MINUTE - 1)
      await send('GET', ME, key)
      expect((await shown('used')).lastUsedAt).toBe(first)
      server().clock.advance(1)
      const second = new Date(server().clock.now()).toISOString()
      await send('GET', ME, key)
      await expect.poll(async () => (await shown('used')).lastUsedAt).toBe(second)
    })

    it('that nobody made are refused, and overlooked where none is needed', async () => {
      const { key } = await make({ name: 'real' })
      for (const bad of ['svc_', `svc_${'A'.repeat(43)}`, `${key}A`, key.slice(0, -1), key.toUpperCase()]) {
        expect([bad, ...(await outcome('GET', ME, bad))]).toEqual([bad, 401, 'TOKEN_INVALID'])
        expect((await send('GET', '/api/v1/shop/customers', bad)).status).toBe(200)
      }
    })

    it('need a free name, roles that are there, and a future', async () => {
      await make({ name: 'Taken' })
      expect(await outcome('POST', KEYS, admin, { name: 'tAKEN' })).toEqual([409, 'DUPLICATE'])
      for (const [body, field] of [
        [{}, 'name'],
        [{ name: '' }, 'name'],
        [{ name: 'a b' }, 'name'],
        [{ name: 'a\u0000' }, ''],
        [{ name: 'x'.repeat(65) }, 'name'],
        [{ name: 'x', roles: ['none'] }, 'roles.0'],
        [{ name: 'x', roles: 'admin' }, 'roles'],
        [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
        [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
        [{ name: 'x', expiresAt: 4e12 }, 'expiresAt'],
        [{ name: 'x', key: 'svc_mine' }, 'key'],
        [{ name: 'x', id: 'mine' }, 'id'],
        [[], ''],
        [null, ''],
      ] as const) {
        const answer = await send('POST', KEYS, admin, body)
        expect([body, answer.status]).toEqual([body, 422])
        expect(JSON.stringify(answer.body.errors)).toContain(field)
      }
      expect(await shown('x')).toBeUndefined()
    })
  })
}
