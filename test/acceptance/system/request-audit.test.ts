import { column, StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { CUSTOMERS, ORDERS, SHOP } from '../shop.ts'

interface Entry {
  readonly id: string
  readonly action: string
  readonly statusCode: number
  readonly timestamp: string
}

for (const store of STORES) {
  describe(`the log of requests on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const get = (path: string) => server().request('GET', path, { token: server().admin })
    const list = async (query: string): Promise<readonly Entry[]> => {
      const { status, body } = await get(`/api/v1/admin/audit?${query}`)
      expect([status, body.data.count]).toEqual([200, body.data.items.length])
      return body.data.items
    }
    const seen = ({ action, timestamp }: Entry) => `${action.split('.').at(-2)} ${timestamp}`

    it('has each of many that came at once, in the order in which they came', async () => {
      const sent: string[] = []
      for (let at = 0; at < 6; at += 1) {
        for (const [path, name] of [
          [ORDERS, 'order'],
          [CUSTOMERS, 'customer'],
        ] as const) {
          await Promise.all(Array.from({ length: 4 }, () => get(path)))
          const moment = new Date(server().clock.now()).toISOString()
          sent.unshift(...Array.from({ length: 4 }, () => `${name} ${moment}`))
          server().clock.advance(5)
        }
      }
      const since = sent.at(-1)!.split(' ')[1]!
      const from = new Date(Date.parse(since) - 1).toISOString()
      const all = (await list(`after=${from}&status_code=200&limit=48`)).map(seen)
      expect(all).toEqual(sent)

      const paged: Entry[] = []
      for (let offset = 0; offset < 48; offset += 7)
        paged.push(
          ...(await list(
            `after=${from}&before=${new Date(server().clock.now()).toISOString()}&limit=7&offset=${offset}`,
          )),
        )
      expect(paged.slice(0, 48).map(seen)).toEqual(sent)
      expect(new Set(paged.map(({ id }) => id)).size).toBe(paged.length)

      const [to] = [...new Set(sent.map((one) => one.split(' ')[1]!))].slice(3)
      const within = (await list(`after=${from}&before=${to}&action=svc.shop.order.list`)).map(seen)
      expect(within).toEqual(sent.filter((one) => one.startsWith('order') && one.split(' ')[1]! < to!))
      expect(within.length).toBeGreaterThan(8)
    })

    it('takes few rows for them', async () => {
      await Promise.all(Array.from({ length: 60 }, () => get('/api/v1/status')))
      const requests = await list('action=svc.system.status&limit=60')
      expect(requests.length).toBe(60)
      const { journal } = server().kernel.get(StoreCapability)
      const action = column('action', 'text')
      const table = { name: 'svc_audit', columns: [action], primaryKey: [], indexes: [], foreignKeys: [] }
      const rows = await journal.count({
        table,
        where: { op: 'eq', column: action, value: 'svc.system.status' },
      })
      expect(rows).toBeLessThan(20)
    })
  })
}
