import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { ACCOUNTS, DESK, TICKETS } from '../desk.ts'

for (const store of STORES) {
  describe(`deleted records on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK })
    let agent: TestAccount
    let stranger: TestAccount

    beforeAll(async () => {
      agent = await server().account('agent', ['agent'])
      stranger = await server().account('stranger')
    })

    const send = (method: string, path: string, body?: unknown, { token } = agent, headers = {}) =>
      server().request(method, path, { token, headers, ...(body !== undefined && { body }) })
    const outcome = async (...args: Parameters<typeof send>) => {
      const { status, body } = await send(...args)
      return [status, body?.error_code]
    }
    const ticket = async (body: object = {}) => {
      const made = await send('POST', TICKETS, { title: 'Printer', ...body })
      return { path: `${TICKETS}/${made.body.data.id}`, data: made.body.data }
    }

    it('are nowhere to be found', async () => {
      const { path, data } = await ticket()
      expect((await send('DELETE', path)).status).toBe(204)
      expect(await outcome('GET', path)).toEqual([404, 'NOT_FOUND'])
      expect(await outcome('PATCH', path, { note: 'x' })).toEqual([404, 'NOT_FOUND'])
      expect(await outcome('DELETE', path)).toEqual([404, 'NOT_FOUND'])
      expect(await outcome('POST', `${path}/transitions/wait`)).toEqual([404, 'NOT_FOUND'])
      expect((await send('GET', `${TICKETS}?filter[number]=${data.number}`)).body.data.items).toEqual([])
    })

    it('come back as they were, and the bus hears of it', async () => {
      const { path, data } = await ticket({ note: 'kept', hours: 2 })
      const heard = new Promise((resolve) => server().kernel.bus.on('svc.desk.ticket.restored', resolve))
      server().clock.advance(1000)
      await send('DELETE', path)
      const { status, body, headers } = await send('POST', `${path}/restore`)
      expect(status).toBe(200)
      const updatedAt = new Date(server().clock.now()).toISOString()
      expect(body.data).toEqual({ ...data, updatedAt, deletedAt: null })
      const read = await send('GET', path)
      expect(read.body.data).toEqual(body.data)
      expect(read.headers.get('etag')).toBe(headers.get('etag'))
      expect(await heard).toMatchObject({ action: 'restored', record: { deletedAt: null } })
    })

    it('come back for those who may delete them', async () => {
      const { path } = await ticket()
      await send('DELETE', path)
      expect(await outcome('POST', `${path}/restore`, undefined, stranger)).toEqual([403, 'FORBIDDEN'])
      expect((await server().request('POST', `${path}/restore`)).status).toBe(401)
    })

    it('are the only ones that can be restored', async () => {
      const { path } = await ticket()
      expect(await outcome('POST', `${path}/restore`)).toEqual([404, 'NOT_FOUND'])
      expect(await outcome('POST', `${TICKETS}/nonsense/restore`)).toEqual([404, 'NOT_FOUND'])
      expect(await outcome('POST', `${ACCOUNTS}/0190b3c4-0000-7000-8000-00000000beef/restore`)).toEqual([
        404,
        'NOT_FOUND',
      ])
    })

    it('give their unique values free, and cannot come back while another has them', async () => {
      const { path } = await ticket({ slug: 'only-one' })
      await send('DELETE', path)
      const other = await ticket({ slug: 'only-one' })
      expect(other.data.slug).toBe('only-one')
      expect(await outcome('POST', `${path}/restore`)).toEqual([409, 'DUPLICATE'])
      await send('DELETE', other.path)
      expect(await outcome('POST', `${path}/restore`)).toEqual([200, undefined])
    })

    it('come back once, however many try', async () => {
      const { path } = await ticket()
      await send('DELETE', path)
      const answers = await Promise.all(Array.from({ length: 8 }, () => send('POST', `${path}/restore`)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
    })

    it('come back under the tag that the client knows', async () => {
      const { path } = await ticket()
      await send('DELETE', path)
      const headers = { 'if-match': '"nonsense"' }
      expect(await outcome('POST', `${path}/restore`, undefined, agent, headers)).toEqual([
        412,
        'PRECONDITION_FAILED',
      ])
    })

    it('take part in no list of values', async () => {
      const { path } = await ticket({ kind: 'rare' })
      await send('DELETE', path)
      expect((await send('GET', `${TICKETS}/distinct/kind`)).body.data.values).not.toContain('rare')
    })
  })

  describe(`values of a field on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK })

    beforeAll(async () => {
      for (const [kind, priority, tags] of [
        ['b', 2, ['x']],
        [null, 3, []],
        ['a', 2, ['x', 'y']],
        ['b', 5, ['x']],
      ] as const) {
        const body = { title: 'Printer', kind, priority, tags }
        await server().request('POST', TICKETS, { token: server().admin, body })
      }
    })

    const get = (query: string, headers = {}) =>
      server().request('GET', `${TICKETS}/distinct${query}`, { headers })

    it.each(['/kind', '?field=kind'])('are listed once and in order with %s', async (query) => {
      const { status, body } = await get(query)
      expect([status, body.data]).toEqual([200, { field: 'kind', values: [null, 'a', 'b'] }])
    })

    it('are those of the records that the query picks', async () => {
      expect((await get('/priority?filter[kind]=b')).body.data.values).toEqual([2, 5])
      expect((await get('?field=priority&filter[kind][null]=true')).body.data.values).toEqual([3])
    })

    it.each(['/costCentre', '/margin', '/label', '/colour', '/tags', '?field=', '', '/__proto__'])(
      'cannot be asked of %s',
      async (query) => {
        const { status, body } = await get(query)
        expect([status, body.error_code]).toEqual([400, 'INVALID_QUERY'])
      },
    )

    it('are refused for an unreadable field in the words of an unknown one', async () => {
      const message = async (name: string) => (await get(`/${name}`)).body.error_message.replace(name, 'X')
      expect(await message('margin')).toBe(await message('nonsense'))
    })

    it('are asked with nothing that does not count', async () => {
      const { body } = await get('/kind?sort=kind&limit=1')
      expect([body.data.values.length, body.warnings.length]).toEqual([3, 2])
      expect((await get('/kind?sort=kind', { prefer: 'handling=strict' })).status).toBe(400)
      const counted = await server().request('GET', `${TICKETS}/count?page=2`)
      expect([counted.body.data.total, counted.body.warnings.length]).toEqual([4, 1])
    })
  })
}

const PLAIN = `
domain:
  name: plain
  version: '1.0.0'
  resources:
    Thing:
      object: { name: string, deletedAt: datetime }
      permissions: { get: ['*'], create: ['*'], update: ['*'] }`

for (const store of STORES) {
  describe(`a field deletedAt without soft delete on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: PLAIN })

    it('is a field like any other', async () => {
      const body = { name: 'a', deletedAt: '2026-01-31T12:00:00.000Z' }
      const made = await server().request('POST', '/api/v1/plain/things', { body })
      expect([made.status, made.body.warnings, made.body.data]).toMatchObject([201, undefined, body])
      const path = `/api/v1/plain/things/${made.body.data.id}`
      const changed = await server().request('PATCH', path, { body: { deletedAt: null } })
      expect([changed.status, changed.body.data.deletedAt]).toEqual([200, null])
    })
  })
}
