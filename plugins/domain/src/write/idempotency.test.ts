import { randomUUID } from 'node:crypto'
import { Reply, Warnings } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import { findKept, IDEMPOTENCY, keep, KEPT_MS, sweepKept, take, Taken } from './idempotency.ts'

type Running = Awaited<ReturnType<typeof startStore>>

const NOW = Date.UTC(2026, 2, 1)
const REPLY = new Reply({ status: 201, headers: { ETag: '"1"' }, data: { b: 1, a: 'ä' } })

for (const under of STORES) {
  describe(`kept answers on ${under.name}`, () => {
    let running: Running
    beforeAll(async () => {
      running = await startStore(under)
      await running.store.ensure([IDEMPOTENCY])
    })
    afterAll(() => running.stop())

    const mark = () => ({ id: randomUUID(), body: 'hash' })
    const write = (one: ReturnType<typeof mark>, now = NOW) =>
      running.store.transaction(async (transaction) => {
        await take(one, transaction, now)
        await keep(one, REPLY, new Warnings(), transaction)
      })

    it('are the first ones, word for word', async () => {
      const one = mark()
      expect(await findKept(one, running.store, NOW)).toBeUndefined()
      await write(one)
      const kept = await findKept(one, running.store, NOW + KEPT_MS - 1)
      expect(kept).toEqual({
        body: 'hash',
        status: 201,
        headers: { ETag: '"1"' },
        data: REPLY.data,
        warnings: [],
      })
      expect(Object.keys(kept!.data as object)).toEqual(['b', 'a'])
      await expect(write(one)).rejects.toThrow(Taken)
    })

    it('go with the transaction that wrote them', async () => {
      const one = mark()
      const broken = running.store.transaction(async (transaction) => {
        await take(one, transaction, NOW)
        throw new Error('no')
      })
      await expect(broken).rejects.toThrow('no')
      await write(one)
    })

    it('are written by one of many', async () => {
      const one = mark()
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => write(one)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    it('end with their time, and are swept then', async () => {
      const [old, young] = [mark(), mark()]
      await write(old)
      await write(young, NOW + 1)
      const later = NOW + KEPT_MS
      expect(await findKept(old, running.store, later)).toBeUndefined()
      await sweepKept(running.store, later)
      const where = { op: 'always' } as const
      expect(await running.store.count({ table: IDEMPOTENCY, where })).toBe(1)
      expect(await findKept(young, running.store, later)).toBeDefined()
    })
  })
}
