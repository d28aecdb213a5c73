import { presentRecord } from '@svc/domain/contract'
import { ANONYMOUS, SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Column, Row, Table } from '@svc/store/contract'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { createProbing } from './probe.ts'

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Product:
      probe: { tables: true }
      object:
        name: string
        price: { type: decimal }
        margin: integer
        code: string
        gross: { computed: 'price * 2' }
      relationships:
        maker: { type: belongsTo, target: Maker }
      permissions:
        list: ['*']
        get: ['*']
        create: [boss]
        fields: { margin: { read: [boss] }, code: { read: [boss], mask: true } }
    Maker:
      object: { name: string }
      permissions: { list: [boss], get: [boss], create: [boss] }
    Secret:
      object: { text: string }
      permissions: { list: [boss], get: [boss], create: [boss] }
`
const column = (name: string, kind: Column['kind'] = 'text'): Column => ({ name, kind, nullable: false })
const ID = column('id', 'integer')
const NOTES: Table = {
  name: 'probe_notes',
  columns: [ID, column('text')],
  primaryKey: [ID],
  indexes: [],
  foreignKeys: [],
}
const PRODUCTS = '/api/v1/shop/products'

for (const store of STORES) {
  describe(`a block reads on ${store.name}`, () => {
    const probing = createProbing({ notes: NOTES })
    const server = useTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION })
    let boss: TestAccount

    const probe = (run: typeof probing.probe, token?: string, headers?: Record<string, string>) => {
      probing.probe = run
      return server().request('POST', `${PRODUCTS}/probe`, {
        body: {},
        ...(token !== undefined && { token }),
        ...(headers && { headers }),
      })
    }

    beforeAll(async () => {
      boss = await server().account('boss', ['boss'])
      const { token } = boss
      const maker = await server().request('POST', '/api/v1/shop/makers', { token, body: { name: 'Ada' } })
      for (let at = 1; at <= 5; at += 1) {
        const body = {
          name: `p${at}`,
          price: at,
          margin: 10 - at,
          code: `c${at}`,
          makerId: maker.body.data.id,
        }
        expect((await server().request('POST', PRODUCTS, { token, body })).status).toBe(201)
      }
    })

    it('the records that a caller may list, with the fields that it may see', async () => {
      const { body } = await probe(async (data, call) => {
        const resource = data.model.resources.get('Product')!
        const asked = { query: { sort: '-price', limit: '2' }, fields: ['name', 'margin', 'code', 'gross'] }
        const { rows, fields, facts } = await data.read(resource, asked, call)
        return { rows, names: fields.map(({ name }) => name), facts }
      })
      expect(body.data.rows).toMatchObject([
        { name: 'p5', code: '***', gross: 10 },
        { name: 'p4', code: '***', gross: 8 },
      ])
      expect(body.data.names).toEqual(['name', 'code', 'gross'])
      expect(body.data.rows[0]).not.toHaveProperty('margin')
      expect(body.data.facts).toMatchObject({ count: 2, totalCount: 5 })
    })

    it('and tells what a query asked for in vain, or refuses it where the client wants that', async () => {
      const run: typeof probing.probe = async (data, call) => {
        const query = { mine: '1', 'filter[margin]': '9', sort: 'margin', nothing: 'x' }
        const { rows } = await data.read(
          data.model.resources.get('Product')!,
          { query, parameters: ['mine'] },
          call,
        )
        return rows.length
      }
      const { body } = await probe(run)
      expect(body.data).toBe(5)
      const told = body.warnings.map(({ message }: { message: string }) => message)
      expect(told).toHaveLength(3)
      expect(told.join()).not.toContain('mine')
      expect((await probe(run, undefined, { prefer: 'handling=strict' })).status).toBe(400)
    })

    it('records by their key where it may see none of the columns', async () => {
      const { status, body } = await probe(async (data, call) => {
        const resource = data.model.resources.get('Product')!
        const streamed: Row[] = []
        for (const fields of [['margin'], []]) {
          const asked = { fields, query: { limit: '2' } }
          const { rows, fields: shown } = await data.read(resource, asked, call)
          if (shown.length > 0 || rows.length !== 2) return { shown, rows }
          for await (const batch of data.stream(resource, { fields }, call)) streamed.push(...batch)
        }
        return streamed
      })
      expect(status).toBe(200)
      expect(body.data).toHaveLength(10)
      for (const row of body.data) expect(row).toEqual({ id: expect.any(String) })
    })

    it('records with their key, which is a column where somebody asks for it', async () => {
      const { body } = await probe(async (data, call) => {
        const resource = data.model.resources.get('Product')!
        const readAs = async (fields: readonly string[], query = {}) => {
          const page = await data.read(resource, { fields, query: { limit: '1', ...query } }, call)
          return [Object.keys(page.rows[0]!), page.fields.map(({ name }) => name)]
        }
        let streamed: string[] = []
        for await (const [row] of data.stream(resource, { fields: ['name'] }, call))
          streamed = Object.keys(row!)
        return [
          await readAs(['name']),
          await readAs(['name', 'id']),
          await readAs(['price'], { fields: 'name' }),
          streamed,
        ]
      })
      expect(body.data).toEqual([
        [['id', 'name'], ['name']],
        [
          ['id', 'name'],
          ['name', 'id'],
        ],
        [
          ['id', 'name'],
          ['id', 'name'],
        ],
        ['id', 'name'],
      ])
    })

    it('and tells a stream that its range has no effect, and columns that do not change that none are chosen', async () => {
      const streaming: typeof probing.probe = async (data, call) => {
        const query = { limit: '1', page: '2', include: 'maker', sort: 'name' }
        const batches: (readonly Row[])[] = []
        for await (const rows of data.stream(data.model.resources.get('Product')!, { query }, call))
          batches.push(rows)
        return batches.flat().length
      }
      const streamed = await probe(streaming)
      expect(streamed.body.data).toBe(5)
      const about = (names: readonly string[]) =>
        names.map((name) => ({ rule: 'ignored', message: expect.stringContaining(`'${name}'`) }))
      expect(streamed.body.warnings).toMatchObject(about(['limit', 'page', 'include']))
      expect((await probe(streaming, undefined, { prefer: 'handling=strict' })).status).toBe(400)

      const fixed = await probe(async (data, call) => {
        const query = { fields: 'price', include: 'maker', sort: '-name', limit: '1' }
        const asked = { query, fields: ['name'], areFieldsFixed: true }
        return (await data.read(data.model.resources.get('Product')!, asked, call)).rows
      }, boss.token)
      expect(fixed.body.data).toEqual([{ id: expect.any(String), name: 'p5' }])
      expect(fixed.body.warnings).toMatchObject(about(['fields', 'include']))
    })

    it('and shows of a record that it has at hand what a caller may see, whatever fields it names', async () => {
      const { body } = await probe((data, call) => {
        const resource = data.model.resources.get('Product')!
        const record = { name: 'p', price: 2, margin: 9, code: 'c' }
        return presentRecord(record, [...resource.fields.values()], data.access(resource, call.caller))
      })
      expect(body.data).toMatchObject({ name: 'p', code: '***', gross: 4 })
      expect(body.data).not.toHaveProperty('margin')
    })

    it('nothing by the place or choice of what a caller may not read', async () => {
      const sorted = await probe(async (data, call) => {
        const resource = data.model.resources.get('Product')!
        const margin = resource.fields.get('margin')!.column!
        const { rows } = await data.read(resource, { order: [{ column: margin, descending: false }] }, call)
        const asBoss = await data.read(
          resource,
          { order: [{ column: margin, descending: false }] },
          { caller: SYSTEM },
        )
        return [rows[0]?.['name'], asBoss.rows[0]?.['name']]
      })
      const [anybody, system] = sorted.body.data
      expect(system).toBe('p5')
      expect(anybody).toBe('p1')
      const filtered = await probe(async (data, call) => {
        const resource = data.model.resources.get('Product')!
        const margin = resource.fields.get('margin')!.column!
        const where = [{ op: 'not' as const, of: { op: 'eq' as const, column: margin, value: 9 } }]
        const { rows } = await data.read(resource, { where }, call)
        return rows.length
      })
      expect(filtered.status).toBe(403)
    })

    it('all records in batches, as any caller', async () => {
      const { body } = await probe(async (data) => {
        const resource = data.model.resources.get('Product')!
        const seen: Row[] = []
        const sizes: number[] = []
        const query = { sort: 'name', limit: '1', include: 'maker' }
        for await (const rows of data.stream(resource, { query }, { caller: ANONYMOUS }, 2)) {
          sizes.push(rows.length)
          seen.push(...rows)
        }
        return { sizes, names: seen.map((row) => row['name']), first: seen[0] }
      })
      expect(body.data).toMatchObject({ sizes: [2, 2, 1], names: ['p1', 'p2', 'p3', 'p4', 'p5'] })
      expect(body.data.first).not.toHaveProperty('margin')
      expect(body.data.first).not.toHaveProperty('maker')
    })

    it('one record, or that there is none for a caller', async () => {
      const { body } = await probe(async (data, call) => {
        const makers = data.model.resources.get('Maker')!
        const { rows } = await data.read(makers, {}, { caller: SYSTEM })
        const id = rows[0]!['id']!
        const refused = await data.get(makers, id, call).catch((error: Error) => error.message)
        const here = await data.find(makers, id, { caller: SYSTEM })
        const nowhere = await data.find(makers, 'no such key', { caller: SYSTEM })
        return {
          refused,
          here: here?.['name'],
          hidden: (await data.find(makers, id, call)) ?? null,
          nowhere: nowhere ?? null,
        }
      })
      expect(body.data).toMatchObject({ here: 'Ada', hidden: null, nowhere: null })
      expect(body.data.refused).toBeTypeOf('string')
    })

    it('no records of a resource that a caller may not list', async () => {
      const run: typeof probing.probe = (data, call) =>
        data.read(data.model.resources.get('Secret')!, {}, call)
      expect((await probe(run)).status).toBe(401)
      const { token } = await server().account('clerk', ['clerk'])
      expect((await probe(run, token)).status).toBe(403)
    })

    it('pages of a table of its own in the form of every list', async () => {
      const { body } = await probe(async (data, call) => {
        await data.write(call, async (writes) => {
          for (let id = 1; id <= 3; id += 1)
            await writes.insert({ table: NOTES, values: { id, text: `n${id}` } })
        })
        const order = [{ column: ID, descending: true }]
        const query = { limit: '2', odd: '1' }
        return data.list(NOTES, { where: [], order, query, present: ({ text }) => ({ text: text! }) }, call)
      })
      expect(body.data).toMatchObject({
        items: [{ text: 'n3' }, { text: 'n2' }],
        count: 2,
        totalCount: 3,
        meta: { total: 3, page: 1, per_page: 2, total_pages: 2, has_next: true, has_prev: false },
      })
      expect(body.warnings).toHaveLength(1)
    })
  })
}
