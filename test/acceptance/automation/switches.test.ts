import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecondServer, startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { chores } from './chores.ts'
import { office } from './office.ts'

const CHORES = '/api/v1/office/chores'
/** Within what other servers have a definition that was submitted. */
const FOLLOWED_MS = 4000
const NOOP = { action: 'noop' }
const SHELVE = { action: 'archive', resource: 'Order' }
const given = (sweep: object = {}) => ({ sweep: { ...NOOP, ...sweep }, shelve: SHELVE })

for (const store of STORES) {
  describe(`switches on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [chores], definition: office(given()) })
    const send = (method: string, path: string, body?: object, on: Pick<TestKernel, 'request'> = server()) =>
      on.request(method, `${CHORES}${path}`, { token: server().admin, ...(body && { body }) })
    const patch = async (enabled: unknown, on?: Pick<TestKernel, 'request'>) =>
      send('PATCH', '/sweep', { enabled }, on)
    const state = async (on?: Pick<TestKernel, 'request'>) => {
      const { enabled, overridden } = (await send('GET', '/sweep', undefined, on)).body.data
      return [enabled, overridden]
    }
    const runs = async (on?: Pick<TestKernel, 'request'>) =>
      (await send('POST', '/sweep/run', {}, on)).status === 200
    let second: SecondServer
    beforeAll(async () => {
      second = await startSecond(server().database, server().clock, [chores])
    })
    afterAll(() => second.stop())

    /** Waits for what the other server has to know within a second. */
    const within = async (wanted: unknown, look: () => Promise<unknown>, ms = 1000) => {
      const until = Date.now() + ms
      while (JSON.stringify(await look()) !== JSON.stringify(wanted) && Date.now() < until)
        await new Promise((done) => setTimeout(done, 20))
      expect(await look()).toEqual(wanted)
    }

    it('A10: a switch counts at once here, and within a second on other servers of the database', async () => {
      expect([await runs(), await runs(second)]).toEqual([true, true])
      const { status, body } = await patch(false)
      expect([status, body.data]).toEqual([
        200,
        { name: 'sweep', action: 'noop', resource: null, enabled: false, overridden: true },
      ])
      expect(await runs()).toBe(false)
      await within([false, true], () => state(second))
      expect(await runs(second)).toBe(false)
    })

    it('A10: it outlives a submit that says the same of it, and a restart', async () => {
      await patch(false)
      await server().submit(office({ ...given(), more: NOOP }, '1.1.0'))
      expect(await state()).toEqual([false, true])
      const third = await startSecond(server().database, server().clock, [chores])
      expect(await state(third)).toEqual([false, true])
      await third.stop()
    })

    it('A10: null takes it back', async () => {
      await patch(false)
      expect((await patch(null)).body.data).toMatchObject({ enabled: true, overridden: false })
      expect(await runs()).toBe(true)
      await within([true, false], () => state(second))
    })

    it("A10: it ends when the definition's own enabled of that name changes, and stays ended", async () => {
      await patch(false)
      await within([false, true], () => state(second))
      await server().submit(office(given({ enabled: false }), '2.0.0'))
      expect(await state()).toEqual([false, false])
      // The other server, which may have the former definition for a moment, must not come to switch it on.
      const seen: unknown[] = []
      await within(
        [false, false],
        async () => (seen.push((await state(second))[0]), state(second)),
        FOLLOWED_MS,
      )
      expect(new Set(seen)).toEqual(new Set([false]))
      await server().submit(office(given(), '2.1.0'))
      expect(await state()).toEqual([true, false])
      await within([true, false], () => state(second), FOLLOWED_MS)
    })

    it('A10: a switch may say what the definition says, and then counts as one', async () => {
      expect((await patch(true)).body.data).toMatchObject({ enabled: true, overridden: true })
      await patch(null)
    })

    it('A10, A11: bad switches are refused with what is wrong', async () => {
      for (const body of [{}, { enabled: 'no' }, { enabled: 1 }, { enabled: true, more: 1 }]) {
        const { status, body: answer } = await send('PATCH', '/sweep', body)
        expect([status, answer.error_code]).toEqual([422, 'VALIDATION_ERROR'])
      }
      const { status, body } = await send('PATCH', '/sweeep', { enabled: true })
      expect([status, body.error_code]).toEqual([404, 'NOT_FOUND'])
      expect(body.error_message).toContain("did you mean 'sweep'?")
      expect((await send('GET', '/nobody')).status).toBe(404)
    })

    it('A11: every endpoint needs admin', async () => {
      const { token } = await server().account('clerk', ['clerk'])
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/sweep'],
        ['PATCH', '/sweep'],
        ['GET', '/log'],
      ] as const) {
        expect((await server().request(method, `${CHORES}${path}`, { token })).status).toBe(403)
        expect((await server().request(method, `${CHORES}${path}`)).status).toBe(401)
      }
    })

    it('A11: lists show items as declared, and take filters, in the form of every list', async () => {
      const list = async (query = '') => (await send('GET', query)).body
      const { data } = await list()
      expect(data).toMatchObject({ count: 2, totalCount: 2, meta: { total: 2, page: 1, per_page: 100 } })
      expect(data.items).toEqual([
        { name: 'sweep', action: 'noop', resource: null, enabled: true, overridden: false },
        { name: 'shelve', action: 'archive', resource: 'Order', enabled: true, overridden: false },
      ])
      const named = async (query: string) =>
        (await list(query)).data.items.map(({ name }: { name: string }) => name)
      expect(await named('?resource=Order')).toEqual(['shelve'])
      expect(await named('?resource=Nothing')).toEqual([])
      await patch(false)
      expect(await named('?enabled=false')).toEqual(['sweep'])
      expect(await named('?limit=1&page=2')).toEqual(['shelve'])
      await patch(null)
      expect((await list('?enabled=perhaps')).error_code).toBe('INVALID_QUERY')
      expect(JSON.stringify((await list('?colour=red')).warnings)).toContain('colour')
    })

    it('A11: the endpoints exist only where the definition has the key', async () => {
      await server().submit(office({}, '3').replace(',"chores":{}', ''))
      expect((await send('GET', '')).status).toBe(404)
      await server().submit(office(given(), '4'))
      expect((await send('GET', '')).status).toBe(200)
    })

    it('A11: they stand in the OpenAPI document of the domain, with what they take and answer', async () => {
      const { body } = await server().request('GET', '/api/v1/domains/office/openapi.json')
      const { get: list } = body.paths[CHORES]
      expect(list.parameters.map(({ name }: { name: string }) => name)).toEqual(
        expect.arrayContaining(['resource', 'enabled', 'action']),
      )
      const { get, patch: switching } = body.paths[`${CHORES}/{name}`]
      expect(JSON.stringify(get.responses['200'])).toContain('#/components/schemas/Chore')
      expect(switching.requestBody.content['application/json'].schema.properties).toHaveProperty('enabled')
      expect(body.components.schemas.Chore.properties.overridden.description).toBeTruthy()
      const log = body.paths[`${CHORES}/log`].get.parameters.map(({ name }: { name: string }) => name)
      expect(log).toEqual(expect.arrayContaining(['after', 'before', 'chore', 'status']))
    })
  })
}
