import { createHmac } from 'node:crypto'
import type { Action } from '@svc/kernel'
import { SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { SECRET, startServer, type TestServer } from './auth.testkit.ts'

/** Says who calls it. */
const echo = (name: string, access: Action['access']): Action => ({
  name,
  access,
  routes: [`GET /${name}`],
  handle: (_: unknown, { caller }) => ({ kind: caller.kind, username: caller.username, roles: caller.roles }),
})
const ACTIONS = [
  echo('open', ['*']),
  echo('any', ['authenticated']),
  echo('editors', ['editor', 'admin']),
  echo('record', 'record'),
  echo('nobody', []),
]
const key = Buffer.from(SECRET)

const errorOf = async (server: TestServer, line: string, token?: string) => {
  const { status, body } = await server.request(line, token === undefined ? {} : { token })
  return status === 200 ? status : `${status} ${body.error_code}`
}

for (const store of STORES) {
  describe(`identity on ${store.name}`, () => {
    it('decides by the access of an action who may run it', async () => {
      const server = await startServer(store, { actions: ACTIONS })
      await server.accounts.createRole({ name: 'editor', description: 'Edits' })
      await Promise.all([server.create('plain'), server.create('edith', ['editor'])])
      const [plain, edith] = [await server.login('plain'), await server.login('edith')]
      const table = async (token?: string) =>
        Promise.all(ACTIONS.map(({ name }) => errorOf(server, `GET /${name}`, token)))
      const stranger = '401 UNAUTHORIZED'
      expect(await table()).toEqual([200, stranger, stranger, stranger, stranger])
      expect(await table(plain.access_token)).toEqual([200, 200, '403 FORBIDDEN', 200, '403 FORBIDDEN'])
      expect(await table(edith.access_token)).toEqual([200, 200, 200, 200, '403 FORBIDDEN'])
    })

    it('names the scheme that it takes with every 401', async () => {
      const server = await startServer(store, { actions: ACTIONS })
      expect((await server.request('GET /any')).headers['WWW-Authenticate']).toBe('Bearer')
      const bad = await server.request('GET /any', { token: 'bad' })
      expect(bad.headers['WWW-Authenticate']).toBe('Bearer error="invalid_token"')
    })

    it('gives a public action the identity of a good token and overlooks a bad one', async () => {
      const server = await startServer(store, { actions: ACTIONS })
      await server.create('ada')
      const { access_token: token } = await server.login('ada')
      expect((await server.request('GET /open', { token })).body.data.username).toBe('ada')
      expect((await server.request('GET /open', { token: `${token}x` })).body.data.kind).toBe('anonymous')
      server.clock.ms += 901_000
      expect((await server.request('GET /open', { token })).body.data.kind).toBe('anonymous')
    })

    it('refuses every forged token, and says of an expired one that it expired', async () => {
      const server = await startServer(store, { actions: ACTIONS })
      const { id } = await server.create('ada')
      const { access_token: genuine } = await server.login('ada')
      const [header, payload] = genuine.split('.') as [string, string, string]
      const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      const signed = (more: object, with_ = key) =>
        new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: 'HS256' }).sign(with_)
      const none = `${encoded({ alg: 'none' })}.${payload}.`
      const hs512 = `${encoded({ alg: 'HS512' })}.${payload}`
      const forged = [
        none,
        `${hs512}.${createHmac('sha512', key).update(hs512).digest('base64url')}`,
        `${header}.${encoded({ ...claims, roles: ['admin'] })}.${genuine.split('.')[2]}`,
        await signed({}, Buffer.from('another secret of more than 32 characters')),
        await signed({ iss: 'elsewhere' }),
        await signed({ sid: undefined }),
        await signed({ sid: id }),
        await signed({ sid: "' or 1=1" }),
        await signed({ sub: '00000000-0000-4000-8000-000000000000' }),
        await signed({ exp: undefined }),
        genuine.slice(0, -2),
        'x',
        'x'.repeat(20_000),
      ]
      for (const token of forged)
        expect([token, await errorOf(server, 'GET /any', token)]).toEqual([token, '401 TOKEN_INVALID'])
      for (const authorization of ['Basic YTpi', 'Bearer', 'Bearer a b', genuine]) {
        const { body } = await server.request('GET /any', { authorization })
        expect([authorization, body.error_code]).toEqual([authorization, 'TOKEN_INVALID'])
      }
      expect(await errorOf(server, 'GET /any', await signed({ exp: 1 }))).toBe('401 TOKEN_EXPIRED')
      expect(await errorOf(server, 'GET /any', genuine)).toBe(200)
    })

    it('refuses a hot token from the second it expires', async () => {
      const server = await startServer(store, { actions: ACTIONS })
      await server.create('ada')
      const { access_token } = await server.login('ada')
      expect(await errorOf(server, 'GET /any', access_token)).toBe(200)
      server.clock.ms += 901_000
      expect(await errorOf(server, 'GET /any', access_token)).toBe('401 TOKEN_EXPIRED')
    })

    it('takes the token of whoever has as many and as long roles as there may be', async () => {
      const server = await startServer(store, { actions: ACTIONS })
      const names = Array.from({ length: 100 }, (_, at) => `r${at}`.padEnd(63, 'x'))
      await server.create('root', ['admin'])
      const { access_token: token } = await server.login('root')
      for (const name of names)
        await server.request('POST /api/v1/admin/roles', { token, body: { name, description: '' } })
      await server.create('ada', names)
      const { access_token } = await server.login('ada')
      expect(await errorOf(server, 'GET /any', access_token)).toBe(200)
    })

    it('takes roles from the store, not from the token', async () => {
      const server = await startServer(store, { actions: ACTIONS })
      const { id } = await server.create('ada')
      const { access_token } = await server.login('ada')
      expect(await errorOf(server, 'GET /editors', access_token)).toBe('403 FORBIDDEN')
      await server.accounts.grantRoles(id, ['admin'])
      expect(await errorOf(server, 'GET /editors', access_token)).toBe(200)
    })

    it('hands further claims of the token on to handlers', async () => {
      const see: Action = { ...echo('claims', 'record'), handle: (_: unknown, call) => call.caller.claims }
      const server = await startServer(store, { actions: [see] })
      await server.create('ada')
      const { access_token } = await server.login('ada')
      const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString())
      const token = await new SignJWT({ ...claims, departmentId: 'd7' })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(key)
      expect((await server.request('GET /claims', { token })).body.data.departmentId).toBe('d7')
    })

    it('notices within 100 ms that another server removed an API key', async () => {
      const database = await store.open()
      const [here, there] = [
        await startServer(store, { database, actions: ACTIONS }),
        await startServer(store, { database, actions: ACTIONS }),
      ]
      onTestFinished(() => database.drop())
      await here.create('root', ['admin'])
      const { access_token: root } = await there.login('root')
      const body = { name: 'ci', roles: ['admin'] }
      const made = await there.request('POST /api/v1/admin/api-keys', { token: root, body })
      const { id, key: secret } = made.body.data
      expect(await errorOf(here, 'GET /editors', secret)).toBe(200)
      await there.request(`DELETE /api/v1/admin/api-keys/${id}`, { token: root })
      here.clock.ms += 100
      expect(await errorOf(here, 'GET /editors', secret)).toBe('401 TOKEN_INVALID')
    })

    it('notices within 100 ms what another server on the same database took away', async () => {
      const database = await store.open()
      const [here, there] = [
        await startServer(store, { database, actions: ACTIONS }),
        await startServer(store, { database, actions: ACTIONS }),
      ]
      onTestFinished(() => database.drop())
      const { id } = await here.create('ada', ['admin'])
      await here.create('root', ['admin'])
      const one = await here.login('ada')
      const two = await here.login('ada')
      const root = await there.login('root')
      for (const { access_token } of [one, two])
        expect(await errorOf(here, 'GET /editors', access_token)).toBe(200)

      await there.request('POST /api/v1/auth/logout', { token: one.access_token })
      here.clock.ms += 100
      expect(await errorOf(here, 'GET /editors', one.access_token)).toBe('401 TOKEN_INVALID')
      expect(await errorOf(here, 'GET /editors', two.access_token)).toBe(200)

      const change = (path: string, body?: unknown) =>
        there.request(`POST /api/v1/admin/users/${id}/${path}`, { token: root.access_token, body })
      await change('roles', { roles: [] })
      here.clock.ms += 100
      expect(await errorOf(here, 'GET /editors', two.access_token)).toBe('403 FORBIDDEN')
      await change('suspend')
      here.clock.ms += 100
      expect(await errorOf(here, 'GET /any', two.access_token)).toBe('403 USER_SUSPENDED')
    })
  })
}
