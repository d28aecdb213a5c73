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

  /** The steps of the statements that are first said by some work, and look for events by their place. */
  async function stepsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    const prepare = vi.spyOn(Database.prototype, 'prepare')
    try {
      await work()
      const said = [...new Set(prepare.mock.calls.map(([sql]) => sql))]
      const sought = said.filter((sql) => /^select.*"shop__events".*"number" >/.test(sql))
      const { path } = Object(server().database.config()['sqlite'])
      const file = new Database(String(path), { readonly: true })
      const steps = sought.flatMap((sql) => {
        const values = Array.from({ length: sql.split('?').length - 1 }, () => null)
        const plan = file.prepare<unknown[], { readonly detail: string }>(`explain query plan ${sql}`)
        return plan.all(...values).map(({ detail }) => detail)
      })
      file.close()
      return steps
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
    const { next } = await ask('')
    const steps = await stepsOf(async () => {
      const stream = await follow(server(), `${EVENTS}?after=${next}`, { token })
      await note()
      await expect.poll(() => stream.told.length, { timeout: 30_000 }).toBe(1)
      await stream.close()
      await ask(`?after=${next}`)
    })
    const ways = steps.filter((step) => /^(?:SEARCH|SCAN) shop__events .*batch/.test(step))
    expect(ways.length).toBeGreaterThan(2)
    for (const way of ways) expect(way).toMatch(/^SEARCH \S+ USING .*\(batch=\? AND number>\?/)
    expect(steps.filter((step) => step.startsWith('SCAN shop__events'))).toEqual([])
  })
})
