import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = `permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`

const DEFINITION = `
domain:
  name: stand
  version: '1'
  resources:
    Rate:
      object: { code: { type: string, primaryKey: true }, price: decimal }
      ${OPEN}
    Order:
      object: { number: { type: string, primaryKey: true }, deletedAt: datetime }
      features: { softDelete: true, audit: true }
      ${OPEN}
    Job:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { name: { type: string, primaryKey: true }, code: string, bike: string, hours: { type: decimal, min: 0 }, deletedAt: datetime }
      relationships:
        order: { type: belongsTo, target: Order, foreignKey: orderNumber, onDelete: cascade }
      computed:
        total: { type: decimal, expression: "hours * lookup('Rate', code, 'price')" }
        share: { type: decimal, expression: "total / aggregate('Job', 'sum', 'total', 'bike == $record.bike')" }
      features: { audit: true, versioning: true, softDelete: true, import: true }
      ${OPEN}
    Bike:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { name: { type: string, primaryKey: true } }
      computed:
        spent: { type: decimal, expression: "aggregate('Job', 'sum', 'total', 'bike == $record.name')" }
      features: { audit: true, versioning: true }
      ${OPEN}
    Prize:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { bike: { type: string, primaryKey: true } }
      computed:
        points: { type: decimal, expression: "lookup('Bike', bike, 'spent')" }
      indexes: [{ fields: [points], unique: true }]
      ${OPEN}
`

for (const store of STORES)
  describe(`what follows many records that are written together on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, config: { jobs: { poll_seconds: 0.2 } } })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `/api/v1/stand/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
    const data = async (method: string, path: string, body?: unknown) => {
      const answer = await send(method, path, body)
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body?.data
    }
    const job = (name: string, more: object = {}) => ({ name, code: 'a', bike: 'red', hours: 1, ...more })
    const entries = async (path: string): Promise<readonly any[]> =>
      (await data('GET', `${path}/audit`)).items
    const spent = async (bike = 'red') => (await data('GET', `bikes/${bike}`)).spent
    beforeAll(async () => {
      await data('POST', 'rates', { code: 'a', price: 10 })
      await data('POST', 'bikes', { name: 'red' })
    })

    it('[11.7] rows that are made together are followed once, and one that is refused leaves no trace', async () => {
      const before = await entries('bikes/red')
      const items = [job('j1'), job('j1', { hours: 50 }), job('j2', { hours: -1 }), job('j3', { hours: 3 })]
      const made = await data('POST', 'jobs/bulk', { items })
      expect([made.created, made.errors.map(({ index }: any) => index)]).toEqual([2, [1, 2]])
      expect(made.items).toMatchObject([
        { name: 'j1', total: 10, share: 0.25 },
        { name: 'j3', total: 30, share: 0.75 },
      ])
      expect(await data('GET', 'jobs/j1')).toMatchObject({ total: 10, share: 0.25 })
      expect(await spent()).toBe(40)
      const [entry, ...older] = await entries('bikes/red')
      expect([older.length, entry.changes.spent]).toEqual([before.length, { from: 0, to: 40 }])
    })

    it('[11.8] a row on which the others have an effect is entered as it was written, and once more as it follows', async () => {
      const [follows, made, ...more] = await entries('jobs/j1')
      expect([made.action, follows.action, more]).toEqual(['create', 'update', []])
      expect(follows.changes).toEqual({ share: { from: null, to: 0.25 } })
      expect((await data('GET', 'jobs/j1/versions')).items).toHaveLength(1)
    })

    it('[11.7] so are rows that are changed, imported and deleted together', async () => {
      const once = async (write: () => Promise<unknown>) => {
        const before = await entries('bikes/red')
        await write()
        return (await entries('bikes/red')).length - before.length
      }
      const changes = [
        { name: 'j1', hours: 2 },
        { name: 'j3', hours: 4 },
        { name: 'j1', hours: 5 },
      ]
      expect(await once(() => data('PATCH', 'jobs/bulk', changes))).toBe(1)
      expect([await spent(), (await data('GET', 'jobs/j1')).total]).toEqual([90, 50])
      const upserted = { items: [job('j1', { hours: 1 }), job('j4', { hours: 2 })], upsert: true }
      expect(await once(() => data('POST', 'jobs/bulk', upserted))).toBe(1)
      expect(await spent()).toBe(70)
      const imported = { items: [job('i1'), job('i2'), job('i3')] }
      expect(await once(() => data('POST', 'jobs/import', imported))).toBe(1)
      expect(await spent()).toBe(100)
      expect(await once(() => data('DELETE', 'jobs/bulk', { ids: ['i1', 'i2', 'i3', 'none'] }))).toBe(1)
      expect(await spent()).toBe(70)
      const all = await data('GET', 'jobs?limit=100')
      for (const { total, share } of all.items) expect(share).toBeCloseTo(total / 70)
    })

    it('[11.7] what goes and comes back along with a record is followed once', async () => {
      await data('POST', 'orders', { number: 'o1' })
      const items = ['o11', 'o12', 'o13'].map((name) => job(name, { orderNumber: 'o1' }))
      await data('POST', 'jobs/bulk', { items })
      expect(await spent()).toBe(100)
      const before = await entries('bikes/red')
      const shares = await entries('jobs/j3')
      await send('DELETE', 'orders/o1')
      expect([await spent(), (await entries('bikes/red')).length]).toEqual([70, before.length + 1])
      await data('POST', 'orders/o1/restore')
      expect([await spent(), (await entries('bikes/red')).length]).toEqual([100, before.length + 2])
      expect((await entries('jobs/j3')).length).toBe(shares.length + 2)
      for (const { total, share } of (await data('GET', 'jobs?limit=100')).items)
        expect(share).toBeCloseTo(total / 100)
    })

    it('[11.7] what cannot follow is the fault of the row that it follows, and of no other', async () => {
      await data('POST', 'bikes/bulk', { items: [{ name: 'one' }, { name: 'two' }] })
      await data('POST', 'jobs/bulk', {
        items: [job('p1', { bike: 'one' }), job('p2', { bike: 'two', hours: 2 })],
      })
      await data('POST', 'prizes/bulk', { items: [{ bike: 'one' }, { bike: 'two' }] })
      const answer = await data('PATCH', 'jobs/bulk', [
        { name: 'p1', hours: 4 },
        { name: 'p2', hours: 4 },
      ])
      expect([answer.updated, answer.failed]).toEqual([1, 1])
      expect(answer.errors[0]).toMatchObject({ index: 1, error_code: 'DUPLICATE' })
      expect([await spent('one'), await spent('two')]).toEqual([40, 20])
      expect((await data('GET', 'jobs/p2')).total).toBe(20)
      expect((await data('GET', 'prizes/two')).points).toBe(20)
    })

    it('[11.7] the thousand other records are those of all rows together', async () => {
      await data('POST', 'rates/bulk', {
        items: [
          { code: 'x', price: 1 },
          { code: 'y', price: 1 },
        ],
      })
      for (const code of ['x', 'y'])
        for (let done = 0; done < 600; done += 300) {
          const items = Array.from({ length: 300 }, (_, at) =>
            job(`${code}${done + at}`, { code, bike: null }),
          )
          expect((await data('POST', 'jobs/bulk', { items })).failed).toBe(0)
        }
      const changed = await send('PATCH', 'rates/bulk', [
        { code: 'x', price: 2 },
        { code: 'y', price: 2 },
      ])
      expect(changed.body.data.updated).toBe(2)
      const warnings = changed.body.warnings.filter(({ rule }: any) => rule === 'recompute')
      expect(warnings).toHaveLength(1)
      expect(warnings[0].message).toContain('200 further records')
      expect(warnings[0]).not.toHaveProperty('index')
      const followed = async () =>
        (await send('GET', 'jobs?filter[total]=2&limit=1&count=true')).body.data.totalCount
      await expect.poll(followed, { timeout: 30_000, interval: 200 }).toBe(1200)
    }, 120_000)
  })
