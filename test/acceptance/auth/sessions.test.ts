import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const AUTH = '/api/v1/auth'
const USERS = '/api/v1/admin/users'
const PASSWORD = 'Correct-horse-7'
const NONE = '00000000-0000-4000-8000-000000000000'

interface Session {
  readonly id: string
  readonly userAgent: string | null
  readonly refreshedAt: string | null
  readonly current?: boolean
}

for (const store of STORES) {
  describe(`sessions on ${store.name}`, () => {
    const server = useTestKernel({ store })

    const login = async (username: string, agent: string) => {
      const { body } = await server().request('POST', `${AUTH}/login`, {
        body: { username, password: PASSWORD },
        headers: { 'user-agent': agent },
      })
      return { token: String(body.data.access_token), refreshToken: String(body.data.refresh_token) }
    }
    const get = async (path: string, token: string) =>
      (await server().request('GET', path, { token })).body.data.items as readonly Session[]
    const outcome = async (method: string, path: string, token: string) => {
      const { status, body } = await server().request(method, path, { token })
      return [status, body?.error_code]
    }
    const isIn = async (token: string) =>
      (await server().request('GET', `${AUTH}/me`, { token })).status === 200
    const idOf = (sessions: readonly Session[], agent: string) =>
      sessions.find(({ userAgent }) => userAgent === agent)?.id ?? expect.fail(agent)

    it('are shown to their user, with the present one marked', async () => {
      await server().account('ann')
      const { token } = await login('ann', 'phone')
      await login('ann', `laptop\u00ff ${'x'.repeat(500)}`)
      const sessions = await get(`${AUTH}/sessions`, token)
      expect(sessions).toHaveLength(3)
      expect(sessions[0]!.userAgent).toBe(`laptop ${'x'.repeat(249)}`)
      expect(sessions.filter(({ current }) => current)).toEqual([sessions[1]])
      const start = server().clock.now()
      expect(sessions[1]).toEqual({
        id: expect.any(String),
        createdAt: new Date(start).toISOString(),
        refreshedAt: null,
        expiresAt: new Date(start + 604_800_000).toISOString(),
        address: expect.toSatisfy((value) => value === null || typeof value === 'string'),
        userAgent: 'phone',
        current: true,
      })
    })

    it('tell when and from where they were refreshed', async () => {
      await server().account('bob')
      const { refreshToken } = await login('bob', 'old browser')
      server().clock.advance(1000)
      const { body } = await server().request('POST', `${AUTH}/refresh`, {
        body: { refresh_token: refreshToken },
        headers: { 'user-agent': 'new browser' },
      })
      const sessions = await get(`${AUTH}/sessions`, body.data.access_token)
      expect(sessions.find(({ userAgent }) => userAgent === 'new browser')?.refreshedAt).toBe(
        new Date(server().clock.now()).toISOString(),
      )
    })

    it('are ended by their user one by one, from the next request on', async () => {
      await server().account('cid')
      const [phone, laptop] = [await login('cid', 'phone'), await login('cid', 'laptop')]
      expect(await isIn(laptop.token)).toBe(true)
      const laptopId = idOf(await get(`${AUTH}/sessions`, phone.token), 'laptop')
      expect(await outcome('DELETE', `${AUTH}/sessions/${laptopId}`, phone.token)).toEqual([204, undefined])
      expect([await isIn(laptop.token), await isIn(phone.token)]).toEqual([false, true])
      const refreshed = await server().request('POST', `${AUTH}/refresh`, {
        body: { refresh_token: laptop.refreshToken },
      })
      expect(refreshed.body.error_code).toBe('TOKEN_INVALID')
      for (const id of [laptopId, NONE, 'phone', '%00'])
        expect(await outcome('DELETE', `${AUTH}/sessions/${id}`, phone.token)).toEqual([404, 'NOT_FOUND'])
    })

    it('of others are out of reach', async () => {
      const [dan, eve] = [await server().account('dan'), await server().account('eve')]
      const [one] = await get(`${AUTH}/sessions`, dan.token)
      expect(await outcome('DELETE', `${AUTH}/sessions/${one!.id}`, eve.token)).toEqual([404, 'NOT_FOUND'])
      expect(await outcome('GET', `${USERS}/dan/sessions`, eve.token)).toEqual([403, 'FORBIDDEN'])
      expect(await isIn(dan.token)).toBe(true)
    })

    it('are listed and ended by administrators', async () => {
      const { id, token } = await server().account('fay')
      const [phone, tablet] = [await login('fay', 'phone'), await login('fay', 'tablet')]
      const { admin } = server()
      const sessions = await get(`${USERS}/fay/sessions`, admin)
      expect(sessions).toHaveLength(3)
      expect(await get(`${USERS}/${id}/sessions?limit=1&offset=1`, admin)).toEqual([sessions[1]])
      expect(await isIn(phone.token)).toBe(true)
      const phoneId = idOf(sessions, 'phone')
      expect(await outcome('DELETE', `${USERS}/FAY/sessions/${phoneId}`, admin)).toEqual([204, undefined])
      expect([await isIn(phone.token), await isIn(tablet.token)]).toEqual([false, true])
      expect(await outcome('DELETE', `${USERS}/${id}/sessions`, admin)).toEqual([204, undefined])
      expect([await isIn(tablet.token), await isIn(token)]).toEqual([false, false])
      expect(await get(`${USERS}/fay/sessions`, admin)).toEqual([])
    })

    it('are not found where there is no such user or session', async () => {
      const { admin } = server()
      for (const [method, path] of [
        ['GET', 'nobody/sessions'],
        ['DELETE', 'nobody/sessions'],
        ['DELETE', `nobody/sessions/${NONE}`],
        ['DELETE', `ann/sessions/${NONE}`],
        ['GET', '%00/sessions'],
      ] as const)
        expect([path, ...(await outcome(method, `${USERS}/${path}`, admin))]).toEqual([
          path,
          404,
          'NOT_FOUND',
        ])
    })
  })
}
