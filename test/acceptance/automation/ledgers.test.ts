import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { chores } from './chores.ts'
import { office } from './office.ts'

const LOG = '/api/v1/office/chores/log'
const MISSING = '01890000-0000-7000-8000-000000000000'
const CHORES = {
  remark: { resource: 'Order', action: 'update', input: { note: 'seen' } },
  reset: { resource: 'Order', action: 'update', input: { total: -1 } },
}

for (const store of STORES) {
  describe(`a ledger on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [chores], definition: office(CHORES) })
    let ids: string[] = []
    let times: string[] = []
    const told: unknown[] = []
    const get = async (query = '', token = server().admin) =>
      (await server().request('GET', `${LOG}${query}`, { token })).body
    const entries = async (query = '') => (await get(query)).data.items

    beforeAll(async () => {
      server().kernel.bus.on('svc.office.chore.*', (event) => void told.push(event))
      const { body } = await server().request('POST', '/api/v1/office/orders', {
        body: { title: 'One', margin: 5 },
      })
      for (const name of ['remark', 'reset', 'remark']) {
        server().clock.advance(60_000)
        const answer = await server().request('POST', `/api/v1/office/chores/${name}/run`, {
          token: server().admin,
          body: { recordId: body.data.id },
        })
        ids = [...ids, answer.body.data.entry]
        times = [...times, new Date(server().clock.now()).toISOString()]
      }
    })

    it('A11: lists the newest first, in the form of every list', async () => {
      const { data } = await get()
      expect(data).toMatchObject({ count: 3, totalCount: 3, meta: { per_page: 100, total: 3 } })
      expect(data.items.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
      expect((await get('?limit=2&page=2')).data.items).toMatchObject([{ id: ids[0] }])
    })

    it('A11: takes after and before', async () => {
      expect(await entries(`?after=${times[0]}`)).toMatchObject([{ id: ids[2] }, { id: ids[1] }])
      expect(await entries(`?before=${times[2]}`)).toMatchObject([{ id: ids[1] }, { id: ids[0] }])
      const zoned = times[1]!.replace('Z', '%2B00:00')
      expect(await entries(`?after=${zoned}`)).toMatchObject([{ id: ids[2] }])
      expect(await get('?after=yesterday')).toMatchObject({ error_code: 'INVALID_QUERY' })
    })

    it('A11: takes its filters, and tells of others', async () => {
      expect(await entries('?chore=reset')).toMatchObject([{ id: ids[1], status: 'failed' }])
      expect(await entries('?status=done&chore=remark')).toHaveLength(2)
      expect(await get('?status=odd')).toMatchObject({ error_code: 'INVALID_QUERY' })
      expect(JSON.stringify((await get('?colour=red')).warnings)).toContain('colour')
    })

    it('A11: answers one entry, or 404', async () => {
      expect((await get(`/${ids[0]}`)).data).toMatchObject({ id: ids[0], chore: 'remark' })
      for (const id of [MISSING, 'nothing']) expect(await get(`/${id}`)).toMatchObject({ code: 404 })
    })

    it('A6: shows of records what its reader may read, an administrator as anybody', async () => {
      const { record } = (await get(`/${ids[0]}`)).data
      expect(record).toMatchObject({ title: 'One', note: 'seen' })
      expect(record).not.toHaveProperty('margin')
      const { token } = await server().account('boss', ['boss', 'admin'])
      expect((await get(`/${ids[0]}`, token)).data.record).toMatchObject({ margin: 5 })
    })

    it('A12: the bus hears of an entry after the commit, with the entry in full', () => {
      expect(told).toEqual([
        expect.objectContaining({ id: ids[0], domain: 'office', name: 'chore.remark.done', at: times[0] }),
        expect.objectContaining({ id: ids[2], entry: expect.objectContaining({ chore: 'remark' }) }),
      ])
    })

    it('10: what is kept of a record can be found and erased; the entries stay', async () => {
      const [{ recordId }] = await entries('?chore=remark')
      const { body } = await server().request('POST', `/api/v1/office/chores/erase/${recordId}`, {
        token: server().admin,
        body: {},
      })
      expect(body.data).toContain('office__chores')
      expect(await entries('?chore=remark')).toMatchObject([{ record: null }, { record: null }])
    })

    it('A14: entries of what is over go after their days, and others stay', async () => {
      const sweep = async (days: number) =>
        (
          await server().request('POST', `/api/v1/office/retained-chores/${days}`, {
            token: server().admin,
            body: {},
          })
        ).body.data
      server().clock.advance(86_400)
      expect(await sweep(1)).toBe(0)
      expect(await sweep(0.0005)).toBe(2)
      // What failed waits for somebody to look at it.
      expect(await entries()).toMatchObject([{ status: 'failed' }])
    })
  })
}
