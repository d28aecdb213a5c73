import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../test/kit/stores.ts'
import { column, type Store, type Table } from './contract.ts'

const id = column('id', 'integer')
const TABLE: Table = { name: 'heard', columns: [id], primaryKey: [id], indexes: [], foreignKeys: [] }

for (const under of STORES) {
  describe(`a transaction that is listened to on ${under.name}`, () => {
    let store: Store
    let stop: () => Promise<void>
    let next = 0

    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([TABLE])
    })
    afterAll(() => stop())

    const there = (value: number) =>
      store.count({ table: TABLE, where: { op: 'eq', column: id, value } }).then((count) => count > 0)
    const insert = (value: number, last = false) => ({ table: TABLE, values: { id: value }, last })

    test('tells that it is durable, once, and not before', async () => {
      const value = (next += 1)
      const found: Promise<boolean>[] = []
      await store.transaction(async (tx) => {
        tx.afterCommit(() => void found.push(there(value)))
        await tx.insert(insert(value))
        expect(found).toEqual([])
      })
      expect(await Promise.all(found)).toEqual([true])
    })

    test('tells it where its last write made it so', async () => {
      const value = (next += 1)
      const found: Promise<boolean>[] = []
      await store.transaction(async (tx) => {
        tx.afterCommit(() => void found.push(there(value)))
        await tx.insert(insert(value, true))
      })
      expect(await Promise.all(found)).toEqual([true])
    })

    test('tells nothing where it is undone, alone or beside others', async () => {
      const heard: string[] = []
      const undone = (name: string) =>
        store
          .transaction(async (tx) => {
            tx.afterCommit(() => void heard.push(name))
            await tx.insert(insert((next += 1)))
            throw new Error('never mind')
          })
          .catch(() => undefined)
      await undone('alone')
      const done = store.transaction(async (tx) => {
        tx.afterCommit(() => void heard.push('the other'))
        await tx.insert(insert((next += 1)))
      })
      await Promise.all([undone('beside'), done])
      expect(heard).toEqual(['the other'])
    })

    test('stands whatever its listener throws', async () => {
      const value = (next += 1)
      const heard: string[] = []
      await store.transaction(async (tx) => {
        tx.afterCommit(() => {
          throw new Error('too late')
        })
        tx.afterCommit(() => void heard.push('after it'))
        await tx.insert(insert(value))
      })
      expect([await there(value), heard]).toEqual([true, ['after it']])
    })
  })
}
