import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

// Every object of the language has members of its own accord. A field, state, transition, value or resource may be
// called as they are, and means what the definition says.

/** The members of every object, but for those that no definition may use (ruling 3.1). */
const NAMES = Object.getOwnPropertyNames(Object.prototype).filter(
  (name) => !['__proto__', 'constructor'].includes(name),
)
const list = (names: readonly string[]) => `[${names.join(', ')}]`
const map = (names: readonly string[], value: (name: string, at: number) => string) =>
  `{ ${names.map((name, at) => `${name}: ${value(name, at)}`).join(', ')} }`
/** Definitions that differ in the names of fields alone: to a database, names that differ in case are one. */
const PLAIN = NAMES.filter((name) => !name.startsWith('__'))

const OPEN = `{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`
const DEFINITION = `
domain:
  name: names
  version: '1.0.0'
  enums: ${map(PLAIN, () => `{ values: ${list(PLAIN)} }`)}
  resources:
    Needed:
      object: ${map(NAMES, () => '{ type: string, required: true }')}
      permissions: ${OPEN}
    Given:
      features: { audit: true, versioning: true, export: true, search: true, softDelete: true }
      object: ${map([...NAMES, 'deletedAt'], (name) => (name === 'deletedAt' ? 'datetime' : `{ type: string, default: d_${name} }`))}
      permissions:
        list: ['*']
        get: ['*']
        create: ['*']
        update: ['*']
        delete: ['*']
        fields: ${map(NAMES.slice(0, 2), () => `{ write: ['*'] }`)}
      history:
        events: { ${NAMES.map((name) => `${name.replace(/^__/, 'on__')}: { on: fieldChange, field: ${name}, label: '{${name}} {previousValue}', capture: [${name}] }`).join(', ')} }
    Empty:
      features: { validationMode: loose }
      object: ${map(NAMES, () => 'string')}
      permissions: ${OPEN}
    Numbers:
      object: ${map([...PLAIN, 'base'], () => 'integer')}
      computed: ${map(
        PLAIN.map((name) => `c_${name}`),
        (name) => `{ type: integer, expression: '${name.slice(2)} + 1', stored: true }`,
      )}
      validation: ${map(PLAIN, (name) => `'isNull(${name}) or ${name} < 100'`)}
      permissions: ${OPEN}
    Formulas:
      object: { base: { type: integer, required: true } }
      computed: ${map(PLAIN, (_, at) => `{ type: integer, expression: 'base + ${at}', stored: ${at % 2 === 0} }`)}
      permissions: ${OPEN}
    Moving:
      object: { state: string, kind: { type: string, enum: toString } }
      stateMachine:
        field: state
        initial: ${PLAIN[0]}
        states: ${map(PLAIN, (_, at) => `{ transitions: { ${PLAIN[at]}: { to: ${PLAIN[(at + 1) % PLAIN.length]} } } }`)}
      scopes: ${map(PLAIN, (name) => `{ filter: "state = '${name}'" }`)}
      permissions: ${OPEN}
      api:
        customOperations: [{ name: valueOfIt, permissions: ['*'], fields: { kind: valueOf } }]
    toString:
      object: { text: string }
      relationships: ${map(
        PLAIN.filter((name) => name !== 'toString'),
        () => '{ type: belongsTo, target: toString }',
      )}
      permissions: ${OPEN}
`
const BASE = '/api/v1/names'

for (const store of STORES) {
  describe(`names that every object has, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `${BASE}${path}`, body === undefined ? {} : { body })
    const values = (of: (name: string) => unknown, names = NAMES) =>
      Object.fromEntries(names.map((name) => [name, of(name)]))

    it('are missed where a create has to bring them', async () => {
      const { status, body } = await send('POST', '/neededs', {})
      expect([
        status,
        body.errors.map(({ field, rule }: { field: string; rule: string }) => `${field} ${rule}`),
      ]).toEqual([422, NAMES.map((name) => `${name} required`)])
      for (const name of NAMES) {
        const others = values(
          (one) => one,
          NAMES.filter((one) => one !== name),
        )
        expect((await send('POST', '/neededs', others)).body.errors).toMatchObject([
          { field: name, rule: 'required' },
        ])
      }
      const made = await send(
        'POST',
        '/neededs',
        values((name) => `n_${name}`),
      )
      expect(made.status).toBe(201)
      expect(made.body.data).toMatchObject(values((name) => `n_${name}`))
      const replaced = await send('PUT', `/neededs/${made.body.data.id}`, {})
      expect(replaced.body.errors).toHaveLength(NAMES.length)
    })

    it('take their default where nothing is sent, and null where there is none', async () => {
      const given = await send('POST', '/givens', {})
      expect(given.body.data).toMatchObject(values((name) => `d_${name}`))
      const empty = await send('POST', '/empties', {})
      expect(empty.body.data).toMatchObject(values(() => null))
      const changed = await send('PATCH', `/empties/${empty.body.data.id}`, { toString: 'x', colour: 1 })
      expect(changed.body.data).toMatchObject({ ...values(() => null), toString: 'x' })
      const replaced = await send('PUT', `/givens/${given.body.data.id}`, { valueOf: 'sent' })
      expect(replaced.body.data).toMatchObject({ ...values((name) => `d_${name}`), valueOf: 'sent' })
    })

    it.each(NAMES)('round-trip: %s', async (name) => {
      const made = await send('POST', '/givens', { [name]: `sent_${name}` })
      const path = `/givens/${made.body.data.id}`
      expect(made.body.data[name]).toBe(`sent_${name}`)
      const changed = await send('PATCH', path, { [name]: `changed_${name}` })
      expect(changed.body.data[name]).toBe(`changed_${name}`)
      expect((await send('GET', path)).body.data).toEqual(changed.body.data)
      expect((await send('GET', `${path}?fields=${name}`)).body.data).toEqual({
        id: made.body.data.id,
        [name]: `changed_${name}`,
      })
      const found = await send('GET', `/givens?filter[${name}]=changed_${name}&sort=-${name}`)
      expect(found.body.warnings).toBeUndefined()
      expect(found.body.data.items).toEqual([changed.body.data])
      const { body } = await send('GET', `/givens/distinct/${name}?filter[${name}][like]=changed`)
      expect(body.data.values).toEqual([`changed_${name}`])
      const versions = await send('GET', `${path}/versions`)
      expect(versions.body.data.items[0].data[name]).toBe(`sent_${name}`)
      const audit = await send('GET', `${path}/audit`)
      expect(JSON.stringify(audit.body.data.items)).toContain(`changed_${name}`)
      const history = await send('GET', `${path}/history`)
      expect(history.body.data.items.map(({ label }: { label: string }) => label)).toContain(
        `changed_${name} sent_${name}`,
      )
      const reverted = await send('POST', `${path}/revert`, { version: 1 })
      expect(reverted.body.data[name]).toBe(`sent_${name}`)
      const rows = await send('POST', '/givens/bulk', {
        items: [{ [name]: `sent_${name}`, id: made.body.data.id }, { [name]: 'new' }],
        upsert: true,
      })
      expect(rows.body.data).toMatchObject({ created: 1, updated: 1, failed: 0 })
    })

    it.each(PLAIN)('are worked out and worked with: %s', async (name) => {
      const made = await send('POST', '/numbers', { base: 1 })
      expect(made.body.data).toMatchObject({ [name]: null, [`c_${name}`]: null })
      const changed = await send('PATCH', `/numbers/${made.body.data.id}`, { [name]: 4 })
      expect(changed.body.data).toMatchObject({ [name]: 4, [`c_${name}`]: 5 })
      expect((await send('PATCH', `/numbers/${made.body.data.id}`, { [name]: 100 })).status).toBe(422)
      const formulas = await send('POST', '/formulas', { base: 10 })
      expect(formulas.body.data[name]).toBe(10 + PLAIN.indexOf(name))
    })

    it('are states, transitions, scopes and values of enumerations', async () => {
      const made = await send('POST', '/movings', { kind: 'toString' })
      expect(made.body.data).toMatchObject({ state: PLAIN[0], kind: 'toString' })
      const path = `/movings/${made.body.data.id}`
      for (const [at, name] of PLAIN.entries()) {
        expect((await send('GET', `/movings?scope=${name}`)).body.data.count).toBe(1)
        const next = PLAIN[(at + 1) % PLAIN.length]
        expect((await send('POST', `${path}/transitions/${next}`)).body.error_code).toBe('TRANSITION_DENIED')
        expect((await send('POST', `${path}/transitions/${name}`)).body.data.state).toBe(next)
      }
      expect((await send('POST', `${path}/valueOfIt`)).body.data.kind).toBe('valueOf')
      expect((await send('PATCH', path, { kind: 'nothing' })).body.errors).toMatchObject([{ rule: 'enum' }])
      expect((await send('GET', '/movings?scope=constructor')).body.warnings).toHaveLength(1)
    })

    it('are resources and relationships', async () => {
      const first = await send('POST', '/to-strings', { text: 'a' })
      const made = await send('POST', '/to-strings', { text: 'b', valueOfId: first.body.data.id })
      expect(made.status).toBe(201)
      const read = await send('GET', `/to-strings/${made.body.data.id}?include=valueOf,hasOwnProperty`)
      expect(read.body.data).toMatchObject({ valueOf: { text: 'a' }, hasOwnProperty: null })
      const schema = await server().request('GET', '/api/v1/domains/names/schema')
      expect(schema.body.data.resources.toString.relationships.valueOf).toMatchObject({
        resource: 'toString',
      })
      const document = await server().request('GET', '/api/v1/domains/names/openapi.json')
      expect(document.body.components.schemas.toStringInput).toMatchObject({ type: 'object' })
      expect(document.body.components.schemas.NeededInput.required.toSorted()).toEqual(NAMES.toSorted())
    })

    it.each(['constructor', 'prototype', '__proto__', 'Prototype'])(
      'are refused to a domain: %s (ruling 3.1)',
      async (name) => {
        const content = JSON.stringify({
          domain: { name, version: '1', resources: { Note: { object: { text: 'string' } } } },
        })
        const { status, body } = await server().request('POST', '/api/v1/domains', {
          token: server().admin,
          body: { content },
        })
        expect([status, body.error_code, body.errors[0].path]).toEqual([422, 'PARSE_ERROR', 'domain.name'])
      },
    )
  })
}
