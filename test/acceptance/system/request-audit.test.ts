import { type Column, column, StoreCapability, type Table } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { CUSTOMERS, ORDERS, SHOP } from '../shop.ts'

interface Entry {
  readonly id: string
  readonly action: string
  readonly statusCode: number
  readonly timestamp: string
}

const ACTION = column('action', 'text')
const KINDS: Readonly<Record<string, 'uuid' | 'datetime'>> = { id: 'uuid', timestamp: 'datetime' }

/** The table of the log, as far as columns of it go. */
const logOf = (...columns: readonly Column[]): Table => ({
  name: 'svc_audit',
  columns,
  primaryKey: [],
  indexes: [],
  foreignKeys: [],
})

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
      const where = { op: 'eq', column: ACTION, value: 'svc.system.status' } as const
      expect(await journal.count({ table: logOf(ACTION), where })).toBeLessThan(20)
    })

    it('goes on with what a version before has written, which had a row for each', async () => {
      const { journal } = server().kernel.get(StoreCapability)
      await list('limit=1')
      const added = [column('earliest', 'datetime', true), column('earlier', 'json', true)]
      const old = {
        id: '01a20000-0000-7000-8000-000000000001',
        username: 'before',
        action: 'svc.shop.order.get',
        transport: 'rest',
        remote_addr: '192.0.2.1',
        status_code: 404,
        duration_ms: 1.25,
        timestamp: '2026-02-01T12:00:00.000Z',
      }
      await journal.define(async (definition) => {
        for (const one of added)
          await definition.apply({ kind: 'dropColumn', table: logOf(...added), column: one })
        const columns = Object.entries(old).map(([name, value]) =>
          column(name, KINDS[name] ?? (typeof value === 'number' ? 'float' : 'text')),
        )
        await definition.insert({ table: logOf(...columns), values: old })
      })
      const second = await startSecond(server().database, server().clock)
      const found = async (query: string) => {
        const { body } = await second.request('GET', `/api/v1/admin/audit?${query}`, {
          token: server().admin,
        })
        return body.data.items
      }
      const entry = { id: old.id, remoteAddr: '192.0.2.1', statusCode: 404, durationMs: 1.25 }
      expect(await found('username=before')).toEqual([expect.objectContaining(entry)])
      expect(await found('before=2026-02-01T12:00:00.001Z')).toEqual([expect.objectContaining(entry)])
      expect(await found('before=2026-02-01T12:00:00Z')).toEqual([])
      const before = new Date(server().clock.now()).toISOString()
      server().clock.advance(1000)
      await Promise.all(Array.from({ length: 3 }, () => second.request('GET', '/api/v1/status', {})))
      const statuses = await found(`action=svc.system.status&after=${before}`)
      expect(statuses.map(({ username }: { username: string | null }) => username)).toEqual([
        null,
        null,
        null,
      ])
      await second.stop()
    })
  })
}
