import Database from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { follow } from '../../kit/event-stream.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from './shop.ts'

const EVENTS = '/api/v1/domains/shop/events'

// SQLite says how it goes about a statement before it does so. What it looks through from the beginning of a ledger takes longer with
// every event that is kept, and holds everybody meanwhile.
describe.skipIf(STORES.every(({ name }) => name !== 'sqlite'))('what happened lately on sqlite', () => {
  const [store] = STORES
  const server = useTestKernel({ store: store!, definition: SHOP })

  interface Said {
    readonly sql: string
    /** How SQLite goes about the ledger. */
    readonly ways: readonly string[]
  }

  /** The statements that are first said by some work, and look for events by their place. */
  async function saidBy(work: () => Promise<unknown>): Promise<readonly Said[]> {
    const prepare = vi.spyOn(Database.prototype, 'prepare')
    try {
      await work()
      const said = [...new Set(prepare.mock.calls.map(([sql]) => sql))]
      const { path } = Object(server().database.config()['sqlite'])
      const file = new Database(String(path), { readonly: true })
      const all = said
        .filter((sql) => /^select.*"shop__events".*"number" >/.test(sql))
        .map((sql) => {
          const values = Array.from({ length: sql.split('?').length - 1 }, () => null)
          const plan = file.prepare<unknown[], { readonly detail: string }>(`explain query plan ${sql}`)
          const steps = plan.all(...values).map(({ detail }) => detail)
          return { sql, ways: steps.filter((step) => /^(?:SEARCH|SCAN) shop__events .*batch/.test(step)) }
        })
      file.close()
      return all
    } finally {
      prepare.mockRestore()
    }
  }

  it('9.5, 9.6: is found by its place, however much is kept of what was before', async () => {
    const { token } = await server().account('keeper', ['keeper'])
    const note = () => server().request('POST', '/api/v1/shop/notes', { token, body: { text: 'a' } })
    await note()
    const ask = async (query: string) =>
      (await server().request('GET', `${EVENTS}${query}`, { token })).body.data as { readonly next: string }
    const said = await saidBy(async () => {
      const { next } = await ask('?resource=Note')
      const stream = await follow(server(), `${EVENTS}?after=${next}`, { token })
      await note()
      await expect.poll(() => stream.told.length, { timeout: 30_000 }).toBe(1)
      await stream.close()
    })
    expect(said.length).toBeGreaterThan(2)
    for (const { sql, ways } of said) {
      expect(ways, sql).toHaveLength(1)
      // From the beginning on, the first one alone is looked for.
      if (sql.includes('"batch" >=')) expect(sql).toMatch(/^select "id", "batch", "number" .* offset \?$/)
      else expect(ways[0]).toMatch(/^SEARCH \S+ USING .*\(batch=\? AND number>\?/)
    }
  })
})
