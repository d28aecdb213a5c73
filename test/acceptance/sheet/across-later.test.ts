import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: stand
  version: '1'
  resources:
    Rate:
      object: { code: { type: string, primaryKey: true }, price: decimal }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
    Job:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { code: string, hours: decimal, team: string }
      computed:
        total: { type: decimal, expression: "hours * lookup('Rate', code, 'price')" }
      features: { audit: true }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
    Team:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { name: { type: string, primaryKey: true } }
      computed:
        spent: { type: decimal, expression: "aggregate('Job', 'sum', 'total', 'team == $record.name')" }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`
const JOBS = 1_040
const PORTION = 260
const AT_ONCE = 1_000

for (const store of STORES)
  describe(`what follows behind a write on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, config: { jobs: { poll_seconds: 0.2 } } })
    const at = '/api/v1/stand'
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `${at}/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const withTotal = async (total: number) =>
      (await send('GET', `jobs?filter[total]=${total}&limit=1&count=true`)).body.data.totalCount

    it('[11.7] at most 1,000 other records in the transaction, further ones behind it, of which the answer warns', async () => {
      await send('POST', 'rates', { code: 'basic', price: 10 })
      for (let done = 0; done < JOBS; done += PORTION) {
        const items = Array.from({ length: PORTION }, () => ({ code: 'basic', hours: 1, team: 'red' }))
        expect((await send('POST', 'jobs/bulk', { items })).status).toBeLessThan(300)
      }
      await send('POST', 'teams', { name: 'red' })
      expect(await withTotal(10)).toBe(JOBS)
      expect((await send('GET', 'teams/red')).body.data.spent).toBe(10 * JOBS)

      const changed = await send('PATCH', 'rates/basic', { price: 20 })
      expect([changed.status, changed.body.data.price]).toEqual([200, 20])
      const warning = changed.body.warnings.find(({ rule }: any) => rule === 'recompute')
      // The team is one of those that depend on it.
      expect(warning.message).toContain(`${JOBS + 1 - AT_ONCE} further records`)
      await expect.poll(() => withTotal(20), { timeout: 20_000, interval: 200 }).toBe(JOBS)
      await expect
        .poll(async () => (await send('GET', 'teams/red')).body.data.spent, {
          timeout: 20_000,
          interval: 200,
        })
        .toBe(20 * JOBS)
      const { items } = (await send('GET', 'jobs?filter[total]=20&limit=500&offset=1000')).body.data
      const [entry] = (await send('GET', `jobs/${items.at(-1).id}/audit`)).body.data.items
      expect(entry.changes.total).toEqual({ from: 10, to: 20 })
      expect(JSON.stringify(entry)).toContain('admin')
    }, 120_000)
  })
