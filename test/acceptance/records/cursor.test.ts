import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { ORDERS, SHOP } from '../shop.ts'

const COUNT = 23

for (const store of STORES) {
  describe(`walking a list on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const get = (query: string, token = server().admin) =>
      server().request('GET', `${ORDERS}?${query}`, { token })

    beforeAll(async () => {
      const items = Array.from({ length: COUNT }, (_, at) => ({
        number: at + 1,
        total: at % 4 === 0 ? null : (at % 3) / 10,
        note: at % 5 === 0 ? null : ['Élan', 'elan', 'Zoo', '1'][at % 4],
        status: at % 2 ? 'paid' : 'open',
        placedAt: at % 3 === 0 ? null : `2026-01-0${(at % 7) + 1}T00:00:00.000Z`,
      }))
      await server().request('POST', `${ORDERS}/bulk`, { token: server().admin, body: items })
    })

    /** The numbers of all orders, gathered part by part. */
    const walked = async (query: string, limit: number) => {
      const numbers: number[] = []
      let cursor: string | null = ''
      for (let parts = 0; cursor !== null; parts += 1) {
        expect(parts).toBeLessThan(COUNT + 2)
        const { status, body } = await get(`${query}&limit=${limit}&cursor=${cursor}`)
        expect([status, body.error_message]).toEqual([200, undefined])
        expect(body.data).not.toHaveProperty('totalCount')
        expect(body.data.count).toBe(body.data.items.length)
        numbers.push(...body.data.items.map(({ number }: { number: number }) => number))
        cursor = body.data.nextCursor
      }
      return numbers
    }

    it.each([
      '',
      'sort=-createdAt',
      'sort=total',
      'sort=-total',
      'sort=note,-total',
      'sort=-note,total',
      'sort=status,-placedAt,note',
      'sort=-placedAt',
      'sort=-id',
      'sort=approval,-customerId',
      'sort=-status&filter[total][null]=false',
      'sort=total&filter[status]=paid&search=x',
    ])('meets every record once and in order: %s', async (query) => {
      const { body } = await get(`${query}&limit=1000`)
      const expected = body.data.items.map(({ number }: { number: number }) => number)
      for (const limit of [1, 4, 1000]) expect(await walked(query, limit)).toEqual(expected)
    })

    it('goes on where it was, whatever is written meanwhile', async () => {
      const first = (await get('sort=number&limit=5&cursor=')).body.data
      const { id } = first.items[4]
      await server().request('PATCH', `${ORDERS}/${id}`, { token: server().admin, body: { number: 1000 } })
      const next = (await get(`sort=number&limit=1&cursor=${first.nextCursor}`)).body.data
      expect(next.items[0].number).toBe(6)
      await server().request('PATCH', `${ORDERS}/${id}`, { token: server().admin, body: { number: 5 } })
    })

    it('shows the asked fields alone', async () => {
      const { body } = await get('sort=-total&fields=number&limit=2&cursor=')
      expect(Object.keys(body.data.items[0]).sort()).toEqual(['id', 'number'])
      expect(body.data.nextCursor).toEqual(expect.any(String))
    })

    it('ends with a part that is just full', async () => {
      expect((await get(`limit=${COUNT}&cursor=`)).body.data.nextCursor).toBeNull()
    })

    it('refuses a cursor that is none, or belongs to another sort', async () => {
      const { nextCursor } = (await get('sort=total&limit=2&cursor=')).body.data
      const forged = (values: readonly unknown[]) => {
        const [sum] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString())
        return Buffer.from(JSON.stringify([sum, ...values])).toString('base64url')
      }
      const id = '0190b3c4-0000-7000-8000-00000000beef'
      expect((await get(`sort=total&cursor=${forged(['0.1', id])}`)).status).toBe(200)
      for (const query of [
        'cursor=nonsense',
        'cursor=bnVsbA',
        `sort=-total&cursor=${nextCursor}`,
        `cursor=${nextCursor}`,
        ...[[], ['0.1'], ['cheap', id], [1, id], [{}, id], ['0.1', null], ['0.1', 'x'], ['0.1', id, id]].map(
          (values) => `sort=total&cursor=${forged(values)}`,
        ),
        `sort=note&cursor=${nextCursor}`,
      ]) {
        const { status, body } = await get(query)
        expect([query, status, body.error_code]).toEqual([query, 400, 'INVALID_QUERY'])
      }
    })

    it('tells nothing of a field that the reader may not see', async () => {
      const { token } = await server().account('clerk')
      const { body } = await get('sort=margin&limit=2&cursor=', token)
      expect(body.warnings).toMatchObject([{ rule: 'ignored' }])
      expect((await get(`limit=2&cursor=${body.data.nextCursor}`, token)).status).toBe(200)
    })
  })
}
