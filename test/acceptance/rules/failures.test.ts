import { errors } from '@svc/kernel'
import { StoreCapability, type Transaction } from '@svc/store/contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { deskOf, OPEN } from './desk.ts'

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      features: { audit: true }
      history: { events: { made: { on: create, label: made } } }
      object: { title: string, total: integer, limit: integer }
      permissions: ${OPEN}
  rules:
    large: { trigger: { resource: Order, on: create }, condition: total > 100, action: reject, message: Too large }
    unclear: { trigger: { resource: Order, on: create }, condition: total > limit, action: reject, message: Over its limit }
    big: { trigger: { resource: Order, on: create }, condition: total > 50, action: warn, message: Big, history: true }
    noted: { trigger: { resource: Order, on: create }, condition: total > 50, action: log, message: Noted, history: true }
`
const STATEMENTS = ['select', 'insert', 'insertRows', 'update', 'updateRows', 'remove', 'claim'] as const
/** No write here takes so many. */
const MANY = 60

/** Lets the n-th statement of all transactions from now on fail; answers how many there were. */
function failAt(server: TestKernel, n: number): () => number {
  const store = server.kernel.get(StoreCapability)
  const transaction = store.transaction.bind(store)
  let count = 0
  const counted = (begun: Transaction): Transaction =>
    new Proxy(begun, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (!STATEMENTS.some((one) => one === name)) return member.bind(target)
        return async (...given: unknown[]) => {
          count += 1
          if (count === n) throw errors.UNAVAILABLE()
          return member.apply(target, given)
        }
      },
    })
  vi.spyOn(store, 'transaction').mockImplementation((work, options) =>
    transaction((begun) => work(counted(begun)), options),
  )
  return () => count
}

for (const store of STORES) {
  describe(`a failure at any statement of a write that meets rules, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const desk = deskOf(server, 'shop')
    afterEach(() => void vi.restoreAllMocks())

    const state = async () => {
      const all = await desk.send('GET', '/orders/count')
      const timeline = await desk.send('GET', '/orders/history?limit=1')
      const { totalCount } = (await desk.send('GET', '/orders/history?page=1&limit=1')).body.data
      expect(timeline.status).toBe(200)
      return {
        records: all.body.data.total as number,
        log: await desk.heard(),
        timeline: totalCount as number,
      }
    }
    /** Runs a write with a failure at its first statement, its second, and so on, until none is left. */
    const everywhere = async (
      write: () => ReturnType<typeof desk.send>,
      check: (
        status: number,
        before: Awaited<ReturnType<typeof state>>,
        after: Awaited<ReturnType<typeof state>>,
      ) => void,
    ) => {
      for (let n = 1; n < MANY; n += 1) {
        const before = await state()
        const counted = failAt(server(), n)
        const { status } = await write()
        vi.restoreAllMocks()
        check(status, before, await state())
        if (counted() < n) return n - 1
      }
      throw new Error('there is no end to the statements')
    }

    it('B6, B8, J1: leaves a refusal with its entry, or neither', async () => {
      const write = () => desk.send('POST', '/orders', { title: 'x', total: 101 })
      const statements = await everywhere(write, (status, before, after) => {
        expect([after.records, after.timeline]).toEqual([before.records, before.timeline])
        expect([status, after.log]).toEqual(status === 422 ? [422, ['large rejected']] : [503, []])
      })
      expect(statements).toBeGreaterThan(0)
    })

    it('B6, B7, B8, J1: leaves a record with its entries and its timeline, or nothing of it', async () => {
      const write = () => desk.send('POST', '/orders', { title: 'x', total: 60 })
      const statements = await everywhere(write, (status, before, after) => {
        const [records, timeline] = [after.records - before.records, after.timeline - before.timeline]
        expect([status, records, timeline, after.log]).toEqual(
          status === 201 ? [201, 1, 3, ['unclear undecided', 'big warned', 'noted logged']] : [503, 0, 0, []],
        )
      })
      expect(statements).toBeGreaterThan(3)
    })

    it('B6, B8, J1: leaves many rows with the entries of all of them, or nothing', async () => {
      const items = [{ total: 1, limit: 5 }, { total: 101 }, { total: 60, limit: 90 }]
      const write = () => desk.send('POST', '/orders/bulk', items)
      await everywhere(write, (status, before, after) => {
        const entries = ['large rejected', 'big warned', 'noted logged']
        expect([status, after.records - before.records, after.log]).toEqual(
          status === 201 ? [201, 2, entries] : [503, 0, []],
        )
      })
    })
  })
}
