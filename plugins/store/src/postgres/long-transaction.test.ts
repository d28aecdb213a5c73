import { describe, expect, test } from 'vitest'
import { startStore, STORES } from '../../../../test/kit/stores.ts'
import type { Column, Table, Transaction } from '../contract.ts'

const name: Column = { name: 'name', kind: 'text', nullable: false }
const setting: Column = { name: 'setting', kind: 'text', nullable: false }
/** What PostgreSQL says of its own settings. */
const SETTINGS: Table = {
  name: 'pg_settings',
  columns: [name, setting],
  primaryKey: [name],
  indexes: [],
  foreignKeys: [],
}

async function planning(transaction: Transaction): Promise<unknown> {
  const where = { op: 'eq', column: name, value: 'plan_cache_mode' } as const
  const [row] = await transaction.select({ table: SETTINGS, columns: [setting], where, order: [] })
  return row?.['setting']
}

for (const under of STORES.filter(({ name: kind }) => kind === 'postgres')) {
  describe('a transaction of many statements', () => {
    test('has them planned for the tables as they have become, and leaves the connection as it was', async () => {
      const { store, stop } = await startStore(under)
      await store.transaction(async (transaction) => {
        expect(await planning(transaction)).toBe('auto')
        for (let i = 0; i < 1000; i += 1) await transaction.count({ table: SETTINGS, where: { op: 'never' } })
        expect(await planning(transaction)).toBe('force_custom_plan')
      })
      await store.transaction(async (transaction) => expect(await planning(transaction)).toBe('auto'))
      await stop()
    })
  })
}
