import { domain } from '@svc/domain'
import { createKernel, type Plugin, SYSTEM } from '@svc/kernel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { useTestKernel } from '../../../test/kit/test-kernel.ts'
import { history } from './index.ts'

const OPEN = { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
const OBJECT = {
  text: 'string',
  count: 'integer',
  amount: 'decimal',
  flag: 'boolean',
  day: 'date',
  at: 'datetime',
  time: 'time',
  tags: { type: 'array', items: 'string' },
  data: 'json',
}
const definition = (version: string, item: object, name = 'Item') =>
  JSON.stringify({
    domain: { name: 'box', version, resources: { [name]: { object: OBJECT, permissions: OPEN, ...item } } },
  })
const ITEMS = '/api/v1/box/items'

type Values = Record<string, unknown>
interface Entry {
  readonly action: string
  readonly changes: Record<string, { readonly to: unknown }>
}

/** What a record is after all entries of its audit, the newest of which comes first. */
const replayed = (entries: readonly Entry[]): Values =>
  Object.fromEntries(
    entries
      .toReversed()
      .flatMap(({ changes }) => Object.entries(changes).map(([name, { to }]) => [name, to])),
  )

const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !/\\u0000|-0\b|e[+-]?\d|__proto__|\\ud[89a-f]/i.test(JSON.stringify(value)))
const moment = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const clean = fc.string().filter((text) => !text.includes('\0'))
const VALUES: Record<keyof typeof OBJECT, fc.Arbitrary<unknown>> = {
  text: clean,
  count: fc.maxSafeInteger(),
  amount: fc.integer({ min: -99_999, max: 99_999 }).map((cents) => cents / 100),
  flag: fc.boolean(),
  day: moment.map((text) => text.slice(0, 10)),
  at: moment,
  time: moment.map((text) => text.slice(11, 19)),
  tags: fc.array(clean, { maxLength: 3 }),
  data: json,
}
const body = fc.record(
  Object.fromEntries(Object.entries(VALUES).map(([name, value]) => [name, fc.option(value)])),
  { requiredKeys: [] },
)
const writes = fc.array(fc.tuple(fc.constantFrom('PATCH', 'PUT'), body), { maxLength: 4 })

for (const store of STORES) {
  describe(`the ledgers on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: definition('1.0.0', { features: { audit: true, versioning: true } }),
    })
    const send = (method: string, path: string, sent?: unknown) =>
      server().request(method, `${ITEMS}${path}`, sent === undefined ? {} : { body: sent })

    it('agree with the record: the audit leads to it, and each version was it once', async () => {
      await fc.assert(
        fc.asyncProperty(body, writes, async (first, changes) => {
          const { id } = (await send('POST', '', first)).body.data
          const seen = [(await send('GET', `/${id}`)).body.data]
          for (const [method, values] of changes) {
            const { status, body: answer } = await send(method, `/${id}`, values)
            expect(status).toBe(200)
            seen.push(answer.data)
          }
          const record = (await send('GET', `/${id}`)).body.data
          const known = Object.fromEntries(Object.keys(record).map((name) => [name, null]))
          const { items } = (await send('GET', `/${id}/audit?limit=1000`)).body.data
          expect({ ...known, ...replayed(items) }).toEqual(record)
          const versions = (await send('GET', `/${id}/versions`)).body.data.items
          expect(versions.map(({ data }: { data: Values }) => data)).toEqual(seen.slice(0, -1).toReversed())
        }),
        { numRuns: 15 },
      )
    })

    it('are kept while their feature is off, and go on when it is on again', async () => {
      const { id } = (await send('POST', '', { text: 'a' })).body.data
      await send('PATCH', `/${id}`, { text: 'b' })
      await server().submit(definition('1.1.0', {}))
      expect((await send('GET', `/${id}/audit`)).status).toBe(404)
      await send('PATCH', `/${id}`, { text: 'unseen' })
      await server().submit(definition('1.2.0', { features: { audit: true, versioning: true } }))
      await send('PATCH', `/${id}`, { text: 'c' })
      expect((await send('GET', `/${id}/audit`)).body.data.totalCount).toBe(3)
      expect((await send('GET', `/${id}/versions`)).body.data.items).toMatchObject([
        { version: 2, data: { text: 'unseen' } },
        { version: 1, data: { text: 'a' } },
      ])
    })

    it('come back with the definition that a rollback leads to', async () => {
      const { id } = (await send('POST', '', { text: 'a' })).body.data
      const on = { features: { audit: true, versioning: true } }
      await server().submit(definition('2.0.0', { ...on, renamedFrom: 'Item' }, 'Thing'))
      const moved = await server().request('GET', `/api/v1/box/things/${id}/audit`)
      expect(moved.body.data.totalCount).toBe(1)
      const rollback = { token: server().admin, body: {} }
      expect((await server().request('POST', '/api/v1/domains/box/rollback', rollback)).status).toBe(200)
      await send('PATCH', `/${id}`, { text: 'b' })
      expect((await send('GET', `/${id}/audit`)).body.data.totalCount).toBe(2)
    })

    it('take no table that belongs to something else', async () => {
      const audit = (tableName: string) =>
        definition('3.0.0', { features: { audit: true }, audit: { tableName } })
      for (const tableName of ['box_item', 'svc_users', 'pg_x']) {
        await expect(server().submit(audit(tableName))).rejects.toThrow(/belong|begins/)
      }
    })
  })

  it(`the ledgers on ${store.name} are made for a domain that was there before them`, async () => {
    const database = await store.open()
    const start = async (...more: Plugin[]) => {
      const kernel = createKernel({ config: database.config(), plugins: [store.plugin, domain, ...more] })
      await kernel.start()
      return kernel
    }
    const before = await start()
    const content = definition('1.0.0', { features: { audit: true, versioning: true } })
    await before.callAs(SYSTEM)('svc.domain.submit', { content })
    await before.stop()
    const after = await start(history)
    const call = after.callAs(SYSTEM)
    const { id } = (await call('svc.box.item.create', { data: { text: 'a' } })) as { id: string }
    await call('svc.box.item.update', { id, data: { text: 'b' } })
    expect(await call('svc.box.item.audit', { id })).toMatchObject({ totalCount: 2 })
    expect(await call('svc.box.item.versions', { id })).toMatchObject({ totalCount: 1 })
    await after.stop()
    await database.drop()
  })
}
