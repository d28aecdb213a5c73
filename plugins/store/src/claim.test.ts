import { describe, expect, onTestFinished, test } from 'vitest'
import { startStore, STORES, type StoreUnderTest } from '../../../test/kit/stores.ts'
import { type ClaimPlan, column, Increment, type Store, type Table } from './contract.ts'

const kind = column('kind', 'text')
const number = column('number', 'integer')
const rank = column('rank', 'integer', true)
const holder = column('holder', 'text', true)
const tries = column('tries', 'integer')
const JOB: Table = {
  name: 'job',
  columns: [kind, number, rank, holder, tries],
  primaryKey: [kind, number],
  indexes: [],
  foreignKeys: [],
}

const claimFor = (name: string, limit: number): ClaimPlan => ({
  table: JOB,
  where: { op: 'null', column: holder },
  order: [
    { column: rank, descending: false },
    { column: number, descending: false },
  ],
  limit,
  set: { holder: name, tries: new Increment(1) },
  returning: [number, holder, tries],
})

/** Two servers of one database with so many jobs. */
async function twoServers(under: StoreUnderTest, jobs: number): Promise<readonly [Store, Store]> {
  const database = await under.open()
  const servers = [await startStore(under, database), await startStore(under, database)] as const
  onTestFinished(async () => {
    for (const { stop } of servers) await stop()
    await database.drop()
  })
  const [{ store }, { store: other }] = servers
  await store.ensure([JOB])
  const rows = Array.from({ length: jobs }, (_, at) => ({
    kind: 'mail',
    number: at,
    rank: at === 0 ? 9 : null,
    tries: 0,
  }))
  await store.transaction((tx) => tx.insertRows({ table: JOB, rows }))
  return [store, other]
}

for (const under of STORES) {
  describe(`claims on the ${under.name} store`, () => {
    const claim = (store: Store, plan: ClaimPlan) => store.transaction((tx) => tx.claim(plan))

    test('take the first rows by their order, and answer them as they are afterwards', async () => {
      const [store] = await twoServers(under, 4)
      const claimed = await claim(store, claimFor('a', 2))
      expect(claimed.toSorted((a, b) => Number(a['number']) - Number(b['number']))).toEqual([
        { number: 1, holder: 'a', tries: 1 },
        { number: 2, holder: 'a', tries: 1 },
      ])
      expect(await claim(store, claimFor('a', 9))).toHaveLength(2)
      expect(await claim(store, claimFor('a', 9))).toEqual([])
    })

    test('give no row to two servers', async () => {
      const servers = await twoServers(under, 300)
      const taken: unknown[] = []
      const work = async (store: Store, name: string): Promise<void> => {
        for (;;) {
          const rows = await claim(store, claimFor(name, 7))
          if (rows.length === 0) return
          taken.push(...rows.map((row) => row['number']))
        }
      }
      await Promise.all(
        servers.flatMap((store, at) => Array.from({ length: 4 }, (_, n) => work(store, `${at}-${n}`))),
      )
      expect(taken.toSorted((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: 300 }, (_, n) => n),
      )
    })

    test('are undone with their transaction', async () => {
      const [store] = await twoServers(under, 2)
      const failed = store.transaction(async (tx) => {
        await tx.claim(claimFor('a', 2))
        throw new Error('changed its mind')
      })
      await expect(failed).rejects.toThrow('changed its mind')
      expect(await claim(store, claimFor('b', 2))).toHaveLength(2)
    })

    test('refuse a condition that names no rows', async () => {
      const [store] = await twoServers(under, 1)
      await expect(claim(store, { ...claimFor('a', 1), where: { op: 'always' } })).rejects.toThrow(
        /must say which rows/,
      )
    })

    test('pass over what another transaction holds, where transactions run side by side', async () => {
      const [store, other] = await twoServers(under, 3)
      if (!store.features.has('skipLocked')) {
        expect(under.name).toBe('sqlite')
        return
      }
      await store.transaction(async (tx) => {
        await tx.claim(claimFor('a', 2))
        const rest = await claim(other, claimFor('b', 3))
        expect(rest.map((row) => row['number'])).toEqual([0])
      })
    })
  })
}
