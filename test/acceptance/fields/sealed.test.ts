import type { Plugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { everythingKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const VAULT = new URL('../../fixtures/third-party-plugin/vault.js', import.meta.url).href
const { plugin }: { readonly plugin: Plugin } = await import(VAULT)
const config = { vault: { key: Buffer.alloc(32, 7).toString('base64') } }

const ward = (object: string, version = '1', more = '') => `
domain:
  name: ward
  version: '${version}'
  resources:
    Patient:
      features: { softDelete: true, audit: true, versioning: true, export: true, import: true, search: true, caching: true }
      caching: { ttl: 60 }
      object:
        name: { type: string, required: true }
        deletedAt: datetime
        ${object}
      ${more}
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Visit:
      object: { patientId: uuid }
      relationships: { patient: { type: belongsTo, target: Patient, foreignKey: patientId } }
      computed: { whose: { type: string, expression: patient.ssn } }
      history: { events: { booked: { on: create, capture: [whose], label: 'for {whose}' } } }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
`
const OBJECT = `ssn: secret
        file: dossier
        pin: { type: secret, default: canary-default }
        echo: { type: secret, computed: { expression: "concat('canary-', name)", stored: true } }`
const MORE = `computed:
        shout: { type: string, expression: upper(ssn) }
      validation:
        long: { expression: isNull(ssn) or length(ssn) > 3, message: is short }
      history:
        events:
          came: { on: create, capture: [name, ssn, shout, file], label: '{name} has {ssn} or {shout}', detail: 'filed {file}' }
          moved: { on: fieldChange, field: ssn, label: 'from {previousValue} to {newValue}' }
          renamed: { on: fieldChange, field: name, label: '{previousValue} is {newValue}' }`
const PATIENTS = '/api/v1/ward/patients'
const SSN = 'canary-ssn-1'
const FILE = { remarks: ['canary-file', 5] }
const ANN = { name: 'Ann', ssn: SSN, file: FILE }

for (const store of STORES) {
  describe(`a sealed field on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin], config, definition: ward(OBJECT, '1', MORE) })
    const send = async (method: string, path: string, body?: unknown, headers = {}) =>
      server().request(method, path, { token: server().admin, headers, ...(body !== undefined && { body }) })
    const get = async (path: string) => (await send('GET', path)).body.data
    const keptClear = async (): Promise<readonly string[]> => [
      ...new Set((await everythingKept(server().database)).match(/canary-(?!default)[\w-]+/gi)),
    ]
    let id = ''

    it('is answered as it was written, on every way in and out', async () => {
      const created = await send('POST', PATIENTS, ANN)
      expect([created.status, created.body.error_message]).toEqual([201, undefined])
      ;({ id } = created.body.data)
      const whole = { ...ANN, pin: 'canary-default', echo: 'canary-Ann', shout: 'CANARY-SSN-1' }
      expect(created.body.data).toMatchObject(whole)
      expect(await get(`${PATIENTS}/${id}`)).toMatchObject(whole)
      const bulk = await send('POST', `${PATIENTS}/bulk`, {
        items: [{ name: 'Bob', ssn: 'canary-bob' }, { name: 'Cid' }],
      })
      expect(bulk.body.data).toMatchObject({ created: 2, failed: 0 })
      const csv = await send('POST', `${PATIENTS}/import`, { items: [{ name: 'Dan', ssn: 'canary-dan' }] })
      expect(csv.body.data).toMatchObject({ failed: 0 })
      const { items } = await get(`${PATIENTS}?sort=name`)
      expect(items.map(({ ssn }: { ssn: unknown }) => ssn)).toEqual([SSN, 'canary-bob', null, 'canary-dan'])
      const { body: exported } = await send('GET', `${PATIENTS}/export`)
      for (const one of [SSN, 'canary-bob', 'canary-dan']) expect(String(exported)).toContain(one)
      const patched = await send('PATCH', `${PATIENTS}/${id}`, { ssn: 'canary-ssn-2' })
      expect(patched.body.data.ssn).toBe('canary-ssn-2')
      expect((await send('PATCH', `${PATIENTS}/${id}`, { ssn: 'no' })).status).toBe(422)
    })

    it('is shown in the ledgers to those who may read it', async () => {
      const audit = await get(`${PATIENTS}/${id}/audit`)
      expect(audit.items.map(({ changes }: any) => changes.ssn)).toEqual([
        { from: SSN, to: 'canary-ssn-2' },
        { to: SSN },
      ])
      expect(audit.items[1].changes.file).toEqual({ to: FILE })
      const versions = await get(`${PATIENTS}/${id}/versions`)
      expect(versions.items[0].data).toMatchObject({ ssn: SSN, file: FILE, echo: 'canary-Ann' })
      const { items } = await get(`${PATIENTS}/${id}/history`)
      expect(items.map(({ label, detail }: any) => [label, detail])).toEqual([
        [`from ${SSN} to canary-ssn-2`, ''],
        [`Ann has ${SSN} or CANARY-SSN-1`, `filed ${JSON.stringify(FILE)}`],
      ])
      expect(items[1].data).toMatchObject({ ssn: SSN, shout: 'CANARY-SSN-1', file: FILE, name: 'Ann' })
      const [first] = versions.items
      const reverted = await send('POST', `${PATIENTS}/${id}/revert`, { version: first.version })
      expect(reverted.body.data).toMatchObject({ ssn: SSN, file: FILE })
    })

    it('is sealed where a related record shows it', async () => {
      const visit = await send('POST', '/api/v1/ward/visits', { patientId: id })
      expect([visit.status, visit.body.data?.whose]).toEqual([201, SSN])
      // What the event captures of it is sealed too: it stands in the clear nowhere, as a later test looks.
      const { items } = await get(`/api/v1/ward/visits/${visit.body.data.id}/history`)
      expect(items).toHaveLength(1)
    })

    it('is answered again under an Idempotency-Key', async () => {
      const key = { 'idempotency-key': 'eve' }
      const eve = { name: 'Eve', ssn: 'canary-eve' }
      const [first, second] = [await send('POST', PATIENTS, eve, key), await send('POST', PATIENTS, eve, key)]
      expect(second.headers.get('idempotency-replayed')).toBe('true')
      expect(second.body.data).toEqual(first.body.data)
      expect((await send('POST', PATIENTS, { ...eve, ssn: 'canary-mal' }, key)).body.error_code).toBe(
        'IDEMPOTENCY_MISMATCH',
      )
    })

    it('can be asked for null, and is neither compared nor sorted by nor searched', async () => {
      const empty = await get(`${PATIENTS}?filter[ssn][null]=true`)
      expect(empty.items.map(({ name }: { name: unknown }) => name)).toEqual(['Cid'])
      for (const operator of ['', '[eq]', '[ne]', '[like]', '[in]', '[gt]']) {
        const { status, body } = await send('GET', `${PATIENTS}?filter[ssn]${operator}=${SSN}`)
        expect([operator, status, body.error_code]).toEqual([operator, 400, 'INVALID_QUERY'])
      }
      expect((await send('GET', `${PATIENTS}/distinct/ssn`)).status).toBe(400)
      expect((await send('GET', `${PATIENTS}?sort=ssn`)).body.warnings).toHaveLength(1)
      expect((await get(`${PATIENTS}?search=canary`)).items).toEqual([])
      const { body } = await send('GET', '/api/v1/domains/ward/openapi.json')
      const filters = Object.values(body.components.parameters).map(({ name }: any) => String(name))
      expect(filters.filter((name) => name.startsWith('filter[ssn]'))).toEqual(['filter[ssn][null]'])
    })

    it('stands in the clear nowhere in the database', async () => {
      await send('GET', PATIENTS)
      expect(await keptClear()).toEqual([])
    })

    it.each([
      ['unique', 'ssn: { type: secret, unique: true }', ''],
      ['a key', 'ssn: { type: secret, primaryKey: true }', ''],
      ['in an index', 'ssn: secret', 'indexes: [{ fields: [ssn] }]'],
      ['what records are listed by', 'createdAt: secret', ''],
      ['a slug', 'ssn: secret\n        path: { type: slug, from: ssn }', ''],
      [
        'kept in a formula',
        'ssn: secret',
        'computed: { x: { type: string, expression: upper(ssn), stored: true } }',
      ],
    ])('is refused as %s', async (_, object, more) => {
      const { status, body } = await send('POST', '/api/v1/domains', { content: ward(object, '9', more) })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body.errors)).toContain('keeps its values sealed')
    })

    it('is refused in what becomes SQL, and inside of another value', async () => {
      const parse = async (object: string, more: string) =>
        (await send('POST', '/api/v1/domains', { content: ward(object, '9', more) })).body.error_code
      const scope = `defaultScope: mine\n      scopes: { mine: { filter: "ssn = 'x'" } }`
      expect(await parse('ssn: secret', scope)).toBe('PARSE_ERROR')
      expect(await parse('all: { type: array, items: secret }', '')).toBe('PARSE_ERROR')
      const listed = await send('POST', '/api/v1/domains', {
        content: ward('ssn: secret', '9').replace("list: ['*']", `list: "ssn == 'x'"`),
      })
      expect(listed.body.error_code).toBe('PARSE_ERROR')
    })

    it('is filled by migrations, each record with a form of its own, and moves in and out of the seal', async () => {
      const plain = OBJECT.replace('ssn: secret', 'ssn: string').replace(
        'echo:',
        'fresh: { type: secret, required: true, default: canary-default }\n        echo:',
      )
      await server().submit(ward(plain, '2', MORE), { allow_destructive: true })
      const { items } = await get(`${PATIENTS}?sort=name&filter[ssn][like]=canary`)
      expect(items.map(({ ssn }: { ssn: unknown }) => ssn)).toEqual([
        SSN,
        'canary-bob',
        'canary-dan',
        'canary-eve',
      ])
      expect(items.map(({ fresh }: { fresh: unknown }) => fresh)).toEqual(Array(4).fill('canary-default'))
      await server().submit(ward(OBJECT, '3', MORE), { allow_destructive: true })
      const { items: again } = await get(`${PATIENTS}?sort=name`)
      expect(again.map(({ ssn }: { ssn: unknown }) => ssn)).toEqual([
        SSN,
        'canary-bob',
        null,
        'canary-dan',
        'canary-eve',
      ])
      const moved = await send('PATCH', `${PATIENTS}/${again[0].id}`, { name: 'Anna' })
      expect(moved.body.data).toMatchObject({ ssn: SSN, echo: 'canary-Anna' })
    })
  })
}
