import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
/** What the databases call things of their own, and what their languages keep for themselves. */
const NAMES = `xmin xmax cmin cmax ctid tableoid oid rowid _rowid_ rank docid c0
  select from order group user table default index limit end`.split(/\s+/)

/** A resource whose every field is called like something of a database, as text and as numbers. */
const definition = (type: string, names: readonly string[], version: string) =>
  JSON.stringify({
    domain: {
      name: 'names',
      version,
      resources: {
        Thing: {
          features: { search: true, export: true, audit: true, versioning: true },
          object: Object.fromEntries(names.map((name) => [name, name === 'ctid' ? 'string' : type])),
          indexes: [{ fields: ['xmin', 'ctid'], unique: true }, { fields: ['cmax'] }],
          relationships: {
            tableoid: { type: 'belongsTo', target: 'Thing', foreignKey: 'cmin2', onDelete: 'nullify' },
          },
          permissions: OPEN,
        },
      },
    },
  })

for (const store of STORES) {
  describe(`fields called like what a database has of its own on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const fields = NAMES.filter((name) => name !== 'tableoid')
    const API = '/api/v1/names/things'
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await server().request(method, path, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
      return { status: answer.status, body: answer.body }
    }
    const valued = (start: string) => Object.fromEntries(fields.map((name) => [name, `${start} ${name}`]))

    it('are stored, found, sorted, searched, counted, exported and changed', async () => {
      await server().submit(definition('string', fields, '1'))
      const first = await send('POST', API, valued('one'))
      expect([first.status, first.body.data]).toMatchObject([201, valued('one')])
      const { id } = first.body.data
      const other = await send('POST', `${API}/bulk`, {
        items: [{ ...valued('two'), cmin2: id }, valued('one')],
      })
      expect(other.body.data).toMatchObject({
        created: 1,
        errors: [{ error_code: 'DUPLICATE', errors: [{ field: 'xmin' }, { field: 'ctid' }] }],
      })
      for (const name of fields) {
        const { body } = await send('GET', `${API}?filter[${name}]=two ${name}&sort=-${name}&fields=${name}`)
        expect(body.data.items).toMatchObject([{ [name]: `two ${name}` }])
        const values = await send('GET', `${API}/distinct/${name}`)
        expect(values.body.data.values).toEqual([`one ${name}`, `two ${name}`])
        const part = await send('GET', `${API}?sort=${name}&limit=1&cursor=`)
        const next = await send('GET', `${API}?sort=${name}&limit=1&cursor=${part.body.data.nextCursor}`)
        expect(next.body.data.items[0][name]).toBe(`two ${name}`)
      }
      expect((await send('GET', `${API}?search=two xmax`)).body.data.count).toBe(1)
      const embedded = await send('GET', `${API}?include=tableoid&sort=xmin`)
      expect(embedded.body.data.items[1].tableoid).toMatchObject(valued('one'))
      expect(String((await send('GET', `${API}/export?fields=xmin,ctid`)).body)).toContain(
        'two xmin,two ctid',
      )
      expect((await send('PATCH', `${API}/${id}`, { xmin: 'new', rowid: 'new' })).body.data).toMatchObject({
        xmin: 'new',
        rowid: 'new',
        xmax: 'one xmax',
      })
      const versions = await send('GET', `${API}/${id}/versions`)
      expect(versions.body.data.items[0].data.xmin).toBe('one xmin')
      expect((await send('PUT', `${API}/${id}`, valued('put'))).body.data).toMatchObject(valued('put'))
    })

    it('change with their definition, and back', async () => {
      const renamed = JSON.parse(definition('string', fields, '2'))
      const { object } = renamed.domain.resources.Thing
      delete object.xmax
      object.plain = { type: 'string', renamedFrom: 'xmax' }
      object.tableoid2 = { type: 'string', default: 'x' }
      const changed = await send('POST', '/api/v1/domains', { content: JSON.stringify(renamed) })
      expect(changed.status).toBe(201)
      const { body } = await send('GET', `${API}?sort=plain`)
      expect(body.data.items.map(({ plain }: { plain: string }) => plain)).toEqual(['put xmax', 'two xmax'])
      expect((await send('POST', '/api/v1/domains/names/rollback')).status).toBe(200)
      expect((await send('GET', `${API}?filter[xmax]=put xmax`)).body.data.count).toBe(1)
      const numbers = { content: definition('integer', fields, '3'), allow_destructive: true }
      expect((await send('POST', '/api/v1/domains', numbers)).status).toBe(201)
      const made = await send('POST', API, { xmin: 7, cmax: 8, oid: 9 })
      expect((await send('GET', `${API}?filter[xmin][gte]=7`)).body.data.items).toMatchObject([
        { id: made.body.data.id, cmax: 8, oid: 9 },
      ])
    })
  })
}
