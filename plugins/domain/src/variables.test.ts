import { createKernel, SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { STORES, type TestDatabase } from '../../../test/kit/stores.ts'
import { domain } from './index.ts'
import { readDomains, readMigrations } from './migrate/journal.ts'

const SECRET = 'hunter2-and-more'
const ALL = ['*']
const OPEN = { list: ALL, get: ALL, create: ALL, update: ALL, delete: ALL }

/** Secrets wherever a resource takes a value or a text, and names and bounds from variables. */
const definition = (more: object = {}) =>
  JSON.stringify({
    domain: {
      name: 'vault',
      version: '1',
      description: 'Keeps ${SVC_DOMAIN_SECRET}',
      config: { key: '${SVC_DOMAIN_SECRET}' },
      enums: { Kind: { values: { a: { label: '${SVC_DOMAIN_SECRET}' } } } },
      resources: {
        Item: {
          description: 'Opened by ${SVC_DOMAIN_SECRET}',
          label: { en: '${SVC_DOMAIN_SECRET}' },
          object: {
            token: { type: 'string', default: '${SVC_DOMAIN_SECRET}', description: '${SVC_DOMAIN_SECRET}' },
            description: '${SVC_DOMAIN_TYPE:string}',
            kind: { type: 'string', enum: 'Kind', label: '${SVC_DOMAIN_SECRET}' },
          },
          permissions: { ...OPEN, delete: "token == '${SVC_DOMAIN_SECRET}'" },
          validation: { known: "token != 'not-${SVC_DOMAIN_SECRET}'" },
          scopes: { own: { filter: "token = '${SVC_DOMAIN_SECRET}'" } },
          api: {
            customOperations: [
              { name: 'reset', permissions: ALL, fields: { token: '${SVC_DOMAIN_SECRET}' } },
            ],
          },
          ...more,
        },
      },
    },
  })

for (const under of STORES) {
  describe(`variables in a definition on ${under.name}`, () => {
    const cleanups: (() => Promise<void>)[] = []
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
      delete process.env['SVC_DOMAIN_SECRET']
      delete process.env['SVC_DOMAIN_TYPE']
    })

    async function start(on: TestDatabase, config: object = {}) {
      const kernel = createKernel({
        config: { ...on.config(), domain: config },
        plugins: [under.plugin, domain],
      })
      await kernel.start()
      cleanups.push(() => kernel.stop())
      const call = kernel.callAs(SYSTEM)
      // Tests look into answers whose shape is the very thing under test.
      // oxlint-disable-next-line typescript/no-explicit-any
      const run = (name: string, input?: unknown): Promise<any> => call(name, input)
      const submit = (content: string, more: object = {}) => run('svc.domain.submit', { content, ...more })
      const get = async () => run('svc.domain.get', { name: 'vault' })
      return { kernel, store: kernel.get(StoreCapability), run, submit, get }
    }

    async function database(): Promise<TestDatabase> {
      const made = await under.open()
      cleanups.push(() => made.drop())
      return made
    }

    it('have their effect, and leave the service in none of its descriptions', async () => {
      process.env['SVC_DOMAIN_SECRET'] = SECRET
      const { run, submit, store, get } = await start(await database())
      await submit(definition())
      expect(await run('svc.vault.item.create', { data: {} })).toMatchObject({ token: SECRET })
      const schema = await run('svc.domain.schema', { name: 'vault' })
      const told = [
        schema,
        await get(),
        await run('svc.domain.source', { name: 'vault' }),
        await run('svc.domain.source', { name: 'vault', format: 'resolved' }),
        await run('svc.domain.export', { name: 'vault' }),
        await run('svc.domain.migrations', { name: 'vault' }),
        await readDomains(store),
        await readMigrations('vault', store),
      ]
      for (const one of told) expect(JSON.stringify(one)).not.toContain(SECRET)
      expect(schema.resources.Item.fields.token.default).toBe('${SVC_DOMAIN_SECRET}')
      expect(schema.resources.Item.fields.description.type).toBe('string')
    })

    it('leave the checksum alone, which anybody may read', async () => {
      const sums = []
      for (const value of ['one', 'two']) {
        process.env['SVC_DOMAIN_SECRET'] = value
        const { submit, get } = await start(await database())
        await submit(definition())
        sums.push((await get()).checksum)
      }
      expect(sums[0]).toBe(sums[1])
    })

    it('are noticed when the same text is submitted with other values', async () => {
      process.env['SVC_DOMAIN_SECRET'] = 'one'
      const { run, submit, get } = await start(await database())
      await submit(definition())
      await submit(definition())
      expect((await get()).migrations).toHaveLength(1)
      process.env['SVC_DOMAIN_SECRET'] = 'two'
      await submit(definition())
      expect(await run('svc.vault.item.create', { data: {} })).toMatchObject({ token: 'two' })
      expect((await get()).migrations).toHaveLength(2)
    })

    it('are noticed at the next start, with what they change in the tables', async () => {
      const on = await database()
      process.env['SVC_DOMAIN_SECRET'] = 'one'
      const before = await start(on)
      await before.submit(definition())
      const { id } = await before.run('svc.vault.item.create', { data: { description: '12' } })
      await before.kernel.stop()

      const same = await start(on)
      expect((await same.get()).migrations).toHaveLength(1)
      await same.kernel.stop()

      process.env['SVC_DOMAIN_SECRET'] = 'two'
      const next = await start(on)
      expect(await next.run('svc.vault.item.create', { data: {} })).toMatchObject({ token: 'two' })
      await next.kernel.stop()

      process.env['SVC_DOMAIN_TYPE'] = 'integer'
      await expect(start(on)).rejects.toThrow(/from string to integer.*allow_destructive/s)
      const lossy = await start(on, { allow_destructive: true })
      expect(await lossy.run('svc.vault.item.get', { id })).toMatchObject({ description: 12, token: 'one' })
    })

    it('mean in a rollback what they mean now, where the tables are the same', async () => {
      const { run, submit } = await start(await database())
      process.env['SVC_DOMAIN_SECRET'] = 'one'
      await submit(definition())
      await submit(definition({ plural: 'Things' }))
      await run('svc.domain.rollback', { name: 'vault' })
      await submit(definition({ plural: 'Things' }))
      process.env['SVC_DOMAIN_SECRET'] = 'two'
      await expect(run('svc.domain.rollback', { name: 'vault' })).rejects.toMatchObject({ code: 'CONFLICT' })
    })
  })
}
