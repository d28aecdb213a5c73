import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const AT = '2026-01-01T00:00:00+02:00'
const UUID = '0192B5A4-7C1E-7DEF-8ABC-0123456789AB'

const DEFINITION = `
domain:
  name: keys
  version: '1.0'
  resources:
    Invoice: { object: { no: { type: autoincrement, primaryKey: true }, name: string }, permissions: ${OPEN} }
    Line:
      object: { text: string }
      relationships: { invoice: { type: belongsTo, target: Invoice, onDelete: cascade } }
      permissions: ${OPEN}
    Ticket: { object: { code: { type: token, primaryKey: true }, name: string }, permissions: ${OPEN} }
    Use:
      object: { text: string }
      relationships: { ticket: { type: belongsTo, target: Ticket } }
      permissions: ${OPEN}
    Whole: { object: { k: { type: integer, primaryKey: true }, t: string }, permissions: ${OPEN} }
    Word: { object: { k: { type: string, primaryKey: true }, t: string }, permissions: ${OPEN} }
    Audited: { object: { k: { type: integer, primaryKey: true }, t: string }, features: { audit: true }, permissions: ${OPEN} }
    Tag:
      object: { k: { type: slug, from: name, primaryKey: true }, name: string }
      features: { audit: true }
      permissions: ${OPEN}
    Up: { object: { name: { type: string, required: true }, code: { type: string, unique: true } }, permissions: ${OPEN} }
    Fixed:
      object: { name: string, code: { type: string, unique: true } }
      api: { disable_update: true }
      permissions: ${OPEN}
    Parent:
      object: { name: string }
      relationships:
        byAt: { type: hasMany, target: Child, foreignKey: parentId, where: { at: '${AT}' } }
        byTime: { type: hasMany, target: Child, foreignKey: parentId, where: { time: '12:00' } }
        byUuid: { type: hasMany, target: Child, foreignKey: parentId, where: { uuid: '${UUID}' } }
      computed: { found: { expression: 'count(byAt) + count(byTime) + count(byUuid)' } }
      permissions: ${OPEN}
    Child:
      object: { at: datetime, time: time, uuid: uuid }
      relationships: { parent: { type: belongsTo, target: Parent } }
      permissions: ${OPEN}
    Shut:
      object: { a: string, b: string }
      relationships: { subs: { type: hasMany, target: Sub, foreignKey: shutId } }
      features: { export: true }
      permissions: { list: ['*'], get: ['*'], create: ['*'], fields: { id: { read: [boss] }, a: { read: [boss] }, b: { read: [boss] } } }
    Sub:
      object: { t: string }
      relationships: { shut: { type: belongsTo, target: Shut } }
      permissions: ${OPEN}
`

const REFUSED = {
  'two rules for one key': [
    'Par: { object: { name: string } }, Kid: { object: { t: string }, relationships: { a: { type: belongsTo, target: Par, foreignKey: parId, onDelete: cascade }, b: { type: belongsTo, target: Par, foreignKey: parId, onDelete: restrict } } }',
    "'a' says what becomes of 'parId' already",
  ],
  'keys of a junction that differ in case alone': [
    'Par: { object: { name: string }, relationships: { kids: { type: belongsToMany, target: Kid, foreignKey: xid, otherKey: xId } } }, Kid: { object: { t: string } }',
    'both keys of the junction',
  ],
  'a key of a junction where that keeps its time': [
    'Par: { object: { name: string }, relationships: { kids: { type: belongsToMany, target: Kid, foreignKey: createdAt, timestamps: true } } }, Kid: { object: { t: string } }',
    "'createdAt' is where the junction keeps its time",
  ],
  'children by a formula that is not stored': [
    `Par: { object: { name: string }, relationships: { kids: { type: hasMany, target: Kid, foreignKey: parId } } }, Kid: { object: { t: string, parId: { type: uuid, computed: t } } }`,
    "'parId' is worked out on every read",
  ],
} as const

for (const store of STORES) {
  describe(`keys on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const send = async (method: string, path: string, body?: unknown, token?: string) =>
      server().request(method, `/api/v1/keys${path}`, {
        ...(body !== undefined && { body }),
        ...(token !== undefined && { token }),
      })
    const post = (path: string, body: unknown) => send('POST', path, body)

    it('that are numbers or tokens of the service are held by children as they are sent', async () => {
      for (const name of ['one', 'two', 'three']) await post('/invoices', { name })
      const { body } = await post('/lines', { text: 'of three', invoiceId: 3 })
      expect([body.data.invoiceId, body.warnings]).toEqual([3, undefined])
      for (let at = 0; at < 3; at += 1)
        expect((await post('/lines', { text: 'of none' })).body.data.invoiceId).toBeNull()
      expect((await post('/uses', { text: 'of none' })).status).toBe(201)
      const { code } = (await post('/tickets', { name: 't' })).body.data
      expect((await post('/uses', { text: 'of it', ticketId: code })).body.data.ticketId).toBe(code)
    })

    it.each(['/wholes', '/words', '/auditeds'])('that nobody brings are missing at %s', async (path) => {
      const { status, body } = await post(path, { t: 'x' })
      expect([status, body.error_code]).toEqual([422, 'VALIDATION_ERROR'])
      expect(body.errors).toMatchObject([{ field: 'k', rule: 'required' }])
    })

    it('that are slugs are made, counted on, and refused where there is nothing to make them of', async () => {
      const made = [await post('/tags', { name: 'Red' }), await post('/tags', { name: 'Red' })]
      expect(made.map(({ body }) => body.data?.k)).toEqual(['red', 'red-2'])
      const audit = await server().request('GET', '/api/v1/keys/tags/red-2/audit', { token: server().admin })
      expect(audit.body.data.count).toBe(1)
      const bulk = await post('/tags/bulk', [{ name: 'Red' }, { name: '' }])
      expect(bulk.body.data).toMatchObject({ created: 1, failed: 1, items: [{ k: 'red-3' }] })
      expect((await post('/tags', { name: '' })).status).toBe(422)
    })

    it('by which children are chosen are compared as they are stored', async () => {
      const { id: parentId } = (await post('/parents', { name: 'p' })).body.data
      await post('/children', { parentId, at: AT, time: '12:00', uuid: UUID })
      for (const name of ['byAt', 'byTime', 'byUuid'])
        expect((await send('GET', `/parents/${parentId}/${name}`)).body.data.count, name).toBe(1)
      const { body } = await send('GET', `/parents/${parentId}?include=byAt,byTime`)
      expect([body.data.byAt.length, body.data.byTime.length, body.data.found]).toEqual([1, 1, 3])
    })

    it.each(Object.entries(REFUSED))('3.1 %s is refused', async (_, [resources, words]) => {
      const content = `domain: { name: other, version: '1', resources: { ${resources} } }`
      const { status, body } = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body)).toContain(words)
    })

    it('4.7 items of one key: what is wrong with one of them refuses that one', async () => {
      const upsert = { upsert: true, conflict: ['code'] }
      const items = [
        { code: 'q', name: 'other' },
        { code: 'z', name: 'one' },
        { code: 'z', name: 3 },
      ]
      const { status, body } = await post('/ups/bulk', { ...upsert, items })
      expect(status).toBe(201)
      expect(body.data).toMatchObject({ created: 2, failed: 1, errors: [{ index: 2 }] })
    })

    it('an upsert changes nothing where changes are not offered', async () => {
      const { id } = (await post('/fixeds', { name: 'as made', code: 'c' })).body.data
      const items = [{ code: 'c', name: 'changed' }]
      expect((await post('/fixeds/bulk', { upsert: true, conflict: ['code'], items })).status).toBe(404)
      expect((await send('GET', `/fixeds/${id}`)).body.data.name).toBe('as made')
    })

    it('4.3 a record of which nothing may be read is empty', async () => {
      const { token } = await server().account('boss', ['boss'])
      const { id } = (await send('POST', '/shuts', { a: 'x' }, token)).body.data
      await post('/subs', { t: 's', shutId: id })
      const of = async (path: string) => (await send('GET', path)).body.data
      expect(await of(`/shuts/${id}`)).toEqual({})
      expect(await of(`/shuts/${id}?fields=a`)).toEqual({})
      expect((await of('/shuts')).items).toEqual([{}])
      expect((await of(`/shuts/${id}?include=subs`)).subs).toHaveLength(1)
      expect((await of('/shuts?include=subs')).items[0].subs).toHaveLength(1)
      expect((await of('/subs?include=shut')).items[0].shut).toEqual({})
      expect((await send('GET', '/shuts/export')).status).toBe(200)
    })
  })
}
