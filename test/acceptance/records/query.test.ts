import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { ORDERS, SHOP } from '../shop.ts'

const TOTALS = [30, 10, null, 20, 10] as const
const NOTES = ['Élan vital', 'plain', 'ELAN', null, 'élan'] as const

for (const store of STORES) {
  describe(`lists on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const get = (query: string, headers = {}) =>
      server().request('GET', `${ORDERS}${query}`, { token: server().admin, headers })
    /** The numbers of the listed orders, in order. */
    const numbers = async (query: string) => {
      const { body } = await get(query)
      return body.data.items.map(({ number }: { number: number }) => number)
    }

    beforeAll(async () => {
      for (const [at, total] of TOTALS.entries()) {
        const { status } = await server().request('POST', ORDERS, {
          token: server().admin,
          body: { number: at + 1, total, note: NOTES[at], status: at < 2 ? 'paid' : 'open' },
        })
        expect(status).toBe(201)
        server().clock.advance(1000)
      }
    })

    describe('paging', () => {
      it('answers the first page with its total when nothing is asked for', async () => {
        const { status, body } = await get('')
        expect(status).toBe(200)
        expect(body.data).toMatchObject({ count: 5, totalCount: 5 })
        expect(body.data.meta).toEqual({
          total: 5,
          page: 1,
          per_page: 50,
          total_pages: 1,
          has_next: false,
          has_prev: false,
        })
      })

      it('goes by page', async () => {
        const { body } = await get('?page=2&limit=2')
        expect(body.data).toMatchObject({ count: 2, totalCount: 5 })
        expect(body.data.meta).toMatchObject({ total_pages: 3, has_next: true, has_prev: true })
        expect(await numbers('?page=2&limit=2')).toEqual([3, 4])
        expect(await numbers('?page=3&limit=2')).toEqual([5])
        expect(await numbers('?page=9&limit=2')).toEqual([])
      })

      it('goes by offset, without a total', async () => {
        const { body } = await get('?offset=3&limit=10')
        expect(body.data.items).toHaveLength(2)
        expect(body.data).not.toHaveProperty('totalCount')
      })

      it('takes page before offset', async () => {
        expect(await numbers('?page=1&offset=4&limit=1')).toEqual([1])
      })

      it('brings numbers into range', async () => {
        expect((await get('?limit=0')).body.data.meta.per_page).toBe(1)
        expect((await get('?limit=1001')).body.data.meta.per_page).toBe(1000)
        expect((await get('?page=-3')).body.data.meta.page).toBe(1)
      })

      it.each(['limit=ten', 'page=1.5', 'offset=', 'limit=1e3'])('refuses %s', async (query) => {
        const { status, body } = await get(`?${query}`)
        expect([status, body.error_code]).toEqual([400, 'INVALID_QUERY'])
      })
    })

    describe('sorting', () => {
      it('puts null first going up and last going down', async () => {
        expect(await numbers('?sort=total,number')).toEqual([3, 2, 5, 4, 1])
        expect(await numbers('?sort=-total,number')).toEqual([1, 4, 2, 5, 3])
      })

      it('goes by creation unless told', async () => {
        expect(await numbers('')).toEqual([1, 2, 3, 4, 5])
        expect(await numbers('?sort=-createdAt')).toEqual([5, 4, 3, 2, 1])
      })

      it('compares text by code point', async () => {
        expect(await numbers('?sort=note')).toEqual([4, 3, 2, 1, 5])
      })
    })

    describe('filters', () => {
      it.each([
        ['total=10', [2, 5]],
        ['total][ne]=10', [1, 3, 4]],
        ['total][gt]=10', [1, 4]],
        ['total][gte]=20', [1, 4]],
        ['total][lt]=20', [2, 5]],
        ['total][lte]=20', [2, 4, 5]],
        ['number][in]=1,3,9', [1, 3]],
        ['note][like]=élan', [1, 5]],
        ['note][like]=e%25', [3]],
        ['note][null]=true', [4]],
        ['total][null]=false', [1, 2, 4, 5]],
        ['status]=paid', [1, 2]],
        ['createdAt][gte]=2026-03-01T13:00:03%2B01:00', [4, 5]],
      ])('[%s finds %j', async (filter, expected) => {
        const query = filter.includes(']') ? filter : filter.replace('=', ']=')
        expect(await numbers(`?sort=number&filter[${query}`)).toEqual(expected)
      })

      it('hold all at once', async () => {
        expect(await numbers('?filter[status]=paid&filter[total][lt]=20')).toEqual([2])
      })

      it.each([
        'filter[total]=cheap',
        'filter[number][about]=3',
        'filter[total][null]=maybe',
        'filter[placedAt]=soon',
      ])('refuse %s', async (query) => {
        const { status, body } = await get(`?${query}`)
        expect([status, body.error_code]).toEqual([400, 'INVALID_QUERY'])
      })
    })

    it('count what they would list', async () => {
      const { status, body } = await get('/count?filter[status]=open')
      expect([status, body.data]).toEqual([200, { total: 3 }])
    })

    it('answer the asked fields, and the key always', async () => {
      const { body } = await get('?fields=number,status&limit=1')
      expect(Object.keys(body.data.items[0]).sort()).toEqual(['id', 'number', 'status'])
    })

    it('say what they ignored, and refuse it where the client is strict', async () => {
      for (const query of ['sort=colour', 'filter[colour]=red', 'fields=colour,number', 'colour=red']) {
        const { status, body } = await get(`?${query}`)
        expect([status, body.warnings]).toEqual([
          200,
          [expect.objectContaining({ rule: 'ignored', severity: 'info' })],
        ])
        const strict = await get(`?${query}`, { prefer: 'handling=strict' })
        expect([strict.status, strict.body.error_code]).toEqual([400, 'INVALID_QUERY'])
      }
    })

    it('report an unreadable field in the words of an unknown one', async () => {
      const { token } = await server().account('clerk')
      const warning = async (field: string) => {
        const { body } = await server().request('GET', `${ORDERS}?filter[${field}]=1&sort=${field}`, {
          token,
        })
        return body.warnings.map(({ message }: { message: string }) => message.replaceAll(field, 'X'))
      }
      expect(await warning('margin')).toEqual(await warning('nonsense'))
    })

    it('take the last of a repeated parameter', async () => {
      expect(await numbers('?limit=3&limit=1')).toEqual([1])
    })
  })
}
