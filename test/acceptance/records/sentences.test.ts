import { DomainsCapability, domainAction, plainSpeaker, SENTENCES } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const YARD = `
domain:
  name: yard
  version: '1'
  desk: {}
  resources:
    Owner: { object: { name: { type: string, required: true } }, permissions: { create: ['*'] } }
    Tag:
      object: { name: string }
      relationships: { boats: { type: belongsToMany, target: Boat } }
      permissions: { create: ['*'], get: ['*'] }
    Boat:
      features: { import: true }
      object:
        name: { type: string, required: true, minLength: 2, maxLength: 4, pattern: '^[a-z]+$', label: { de: Name } }
        kind: { type: string, enum: [sail, motor] }
        mast: { type: integer, min: 1, max: 3 }
        home: { type: email }
        hull: { type: string, immutable: true }
        code: { type: string, unique: true }
        items: { type: array, items: integer, maxItems: 2, label: { de: Dinge } }
        berth: { type: component, label: { de: Liegeplatz }, fields: { row: { type: integer, label: { de: Reihe } }, side: string } }
        crew: { type: repeater, label: { de: Besatzung }, fields: { age: { type: integer, min: 16, label: { de: Alter } } } }
        shape: { type: picture }
        state: { type: string }
      stateMachine:
        field: state
        initial: new
        states:
          new: { transitions: { sell: { to: sold, requiredFields: [kind] } } }
          sold: {}
      relationships:
        owner: { type: belongsTo, target: Owner }
        tags: { type: belongsToMany, target: Tag }
      validation:
        tall: mast == null or mast < 3
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const BOATS = '/api/v1/yard/boats'

/** Says every sentence by its key and its parameters, so that a test sees which was taken and whether it can be made. */
const GERMAN = new Map(
  Object.entries(SENTENCES).map(([key, { params }]) => [
    key,
    `DE ${key}${params.map((name) => ` ${name}={${name}}`).join('')}`,
  ]),
)

const translator = definePlugin({
  name: 'translator',
  phase: 'domain',
  requires: { domains: DomainsCapability },
  setup({ domains }) {
    domains.speak((domain) => {
      const plain = plainSpeaker(domain)
      return {
        ...plain,
        fault(fault, locale, about) {
          const message = GERMAN.get(fault.sentence ?? fault.rule) ?? GERMAN.get(fault.rule)
          const isGerman = locale.localeResolved === 'de' && message !== undefined
          return plain.fault(isGerman ? { ...fault, message } : fault, locale, about)
        },
      }
    })
    domains.fieldType({
      name: 'picture',
      aliases: [],
      column: 'text',
      attributes: {},
      uses: [],
      operators: [],
      sortable: false,
      searchable: false,
      readable: true,
      generated: false,
      compile: () => ({
        check: (value) => ({ faults: [{ rule: String(value) }] }),
        parseText: () => undefined,
        openapi: {},
      }),
    })
    domains.block({
      on: 'domain',
      key: 'desk',
      schema: z.unknown(),
      compile: () => ({
        actions: [
          domainAction<{ seats: number }>({
            name: 'sit',
            summary: 'Sits down',
            access: ['*'],
            routes: ['POST /desk'],
            input: z.strictObject({ seats: z.number().min(2) }),
            handle: () => ({}),
          }),
        ],
      }),
    })
  },
})

for (const store of STORES) {
  describe(`sentences on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      without: ['localization'],
      plugins: [translator],
      definition: YARD,
    })

    const send = (method: string, path: string, body: unknown, language = 'de') =>
      server().request(method, path, {
        token: server().admin,
        body,
        headers: { 'accept-language': language },
      })

    const said = async (method: string, path: string, body: unknown, language?: string) => {
      const answer = await send(method, path, body, language)
      expect(answer.body.errors, JSON.stringify(answer.body)).toBeDefined()
      for (const error of answer.body.errors)
        expect(
          Object.keys(error)
            .filter((key) => key !== 'label')
            .sort(),
        ).toEqual(['field', 'message', 'rule'])
      expect(answer.body._meta).toEqual({ locale: language ?? 'de', localeResolved: language ?? 'de' })
      return answer.body.errors.map(
        ({ field, label, rule, message }: Record<string, string>) =>
          `${field}${label === undefined ? '' : ` (${label})`} ${rule}: ${message}`,
      )
    }

    it('[3.12] there is one for each rule, with the names of what it is made of', () => {
      const rules =
        'type, required, enum, minLength, maxLength, min, max, pattern, format, unknown, immutable, unique, reference, items, expression, invalid_geometry, geometry_type_mismatch, svg'
      expect(Object.keys(SENTENCES)).toEqual(expect.arrayContaining(rules.split(', ')))
      for (const { text, params } of Object.values(SENTENCES)) {
        const named = [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        expect([...params, 'field']).toEqual(expect.arrayContaining(named))
      }
    })

    it('[3.12] each rule of a field is said in the language of the caller', async () => {
      expect(
        await said('POST', BOATS, {
          name: 'X',
          kind: 'row',
          mast: 0,
          home: 'x',
          hull: 1,
          items: [1, 2, 3],
          shape: 'svg',
          nmae: 1,
        }),
      ).toEqual([
        'nmae unknown: DE unknown.similarField resource=Boat name=nmae meant=name',
        'name (Name) minLength: DE minLength limit=2',
        'name (Name) pattern: DE pattern pattern=^[a-z]+$',
        'kind enum: DE enum values=sail, motor',
        'mast min: DE min limit=1',
        'home format: DE format.email',
        'hull type: DE type.text',
        'items (Dinge) items: DE items.max limit=2',
        'shape svg: DE svg',
      ])
      for (const rule of ['invalid_geometry', 'geometry_type_mismatch'])
        expect(await said('POST', BOATS, { name: 'abc', shape: rule })).toEqual([`shape ${rule}: DE ${rule}`])
      expect(await said('POST', BOATS, { name: 'abcde', mast: 4 })).toEqual([
        'name (Name) maxLength: DE maxLength limit=4',
        'mast max: DE max limit=3',
      ])
      expect(await said('POST', BOATS, {})).toEqual(['name (Name) required: DE required'])
      expect(await said('POST', BOATS, { name: 'abc', mast: 3 })).toEqual([
        ' tall: DE expression expression=mast == null or mast < 3',
      ])
      expect(await said('POST', BOATS, [])).toEqual([' type: DE type.body'])
    })

    it('[3.12] and each rule that a stored record is asked for', async () => {
      const { body } = await send('POST', BOATS, { name: 'abc', code: 'c', hull: 'oak' })
      const path = `${BOATS}/${body.data.id}`
      expect(await said('PATCH', path, { hull: 'elm' })).toEqual(['hull immutable: DE immutable'])
      expect(await said('POST', BOATS, { name: 'abc', code: 'c' })).toEqual(['code unique: DE unique'])
      const nobody = '0192b5a4-7c1e-7def-8abc-0123456789ab'
      expect(await said('POST', BOATS, { name: 'abc', ownerId: nobody })).toEqual([
        `ownerId reference: DE reference target=Owner value=${nobody}`,
      ])
      expect(await said('POST', `${path}/transitions/sell`, {})).toEqual([
        'kind required: DE required.transition transition=sell',
      ])
      expect(await said('POST', `${path}/tags`, {})).toEqual(['tagId required: DE required'])
    })

    it('the form of a bulk request and of an import is spoken of in it, under no label of a field', async () => {
      for (const path of [`${BOATS}/bulk`, `${BOATS}/import`])
        expect(await said('POST', path, {})).toEqual(['items required: DE required.rows'])
      expect(await said('PATCH', `${BOATS}/bulk`, {})).toEqual(['items required: DE required.rows'])
      expect(await said('DELETE', `${BOATS}/bulk`, {})).toEqual(['ids required: DE required.rows'])
      expect(await said('DELETE', `${BOATS}/bulk`, { ids: [], more: 1 })).toEqual([
        'more unknown: DE unknown.key known=ids',
      ])
      const upsert = (more: object) => said('POST', `${BOATS}/bulk`, { items: [], upsert: true, ...more })
      expect(await upsert({ upsert: 1 })).toEqual(['upsert type: DE type.switch'])
      expect(await upsert({ conflict: 'name' })).toEqual(['conflict type: DE type.names'])
      expect(await upsert({ conflict: ['gone'] })).toEqual([
        'conflict unknown: DE unknown.stored resource=Boat name=gone',
      ])
      expect(await upsert({ other: 1 })).toEqual([
        'other unknown: DE unknown.key known=items, upsert, conflict',
      ])
    })

    it('rows of a bulk request and of an import fail in it', async () => {
      const rows = { items: [{ name: 'x' }] }
      const told = [{ field: 'name', label: 'Name', rule: 'minLength', message: 'DE minLength limit=2' }]
      for (const path of [`${BOATS}/bulk`, `${BOATS}/import`]) {
        const { body } = await send('POST', path, rows)
        expect([body.data.errors[0].errors, body._meta.localeResolved]).toEqual([told, 'de'])
      }
      const { body } = await send('PATCH', `${BOATS}/bulk`, { items: [{ name: 'abc' }] })
      expect(body.data.errors[0].errors).toEqual([
        { field: 'id', rule: 'required', message: 'DE required.key' },
      ])
    })

    it('what no input may hold is refused in it, and in English with the braces that somebody sent', async () => {
      expect(await said('POST', BOATS, { name: 'a\0' })).toEqual(['name (Name) format: DE format'])
      expect(await said('POST', `${BOATS}/bulk`, { items: [{ name: 'a\0' }] })).toEqual([
        'items.0.name format: DE format',
      ])
      expect(await said('POST', BOATS, { 'a{rule}': { constructor: 1 } })).toEqual([
        'a{rule}.constructor unknown: DE unknown',
      ])
      expect(await said('POST', BOATS, { name: 'a\0' }, 'en')).toEqual([
        'name (Name) format: The text has a NUL or a lone surrogate',
      ])
    })

    it('the input of an action that a block adds is spoken of in it', async () => {
      expect(await said('POST', '/api/v1/yard/desk', { seats: 1 })).toEqual(['seats min: DE min limit=2'])
      expect(await said('POST', '/api/v1/yard/desk', { '{a}': 1 }, 'en')).toEqual([
        "seats required: 'seats' is required",
        "{a} unknown: '{a}' is not known here",
      ])
    })

    it('fields inside of others have the label of their own, and else that of the field around them', async () => {
      expect(
        await said('POST', BOATS, {
          name: 'abc',
          berth: { row: 'x', side: 1, deck: 1 },
          crew: [{ age: 16 }, { age: 3 }],
          items: ['x'],
        }),
      ).toEqual([
        'berth.deck (Liegeplatz) unknown: DE unknown.member',
        'berth.row (Reihe) type: DE type.integer',
        'berth.side (Liegeplatz) type: DE type.text',
        'crew.1.age (Alter) min: DE min limit=16',
        'items.0 (Dinge) type: DE type.integer',
      ])
    })
  })
}
