import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { exported, sendFile } from './translators.ts'

/** Everything that has a text somewhere. Names are derived where nothing is written. */
const YARD = `
domain:
  name: yard
  version: '1'
  config: { currency: EUR, timezone: UTC }
  localization:
    supportedLocales: [en, de, de-CH, fr, ar, dv, fa, he, ps, sd, ug, ur, yi, he-IL]
    fallbackChain: [fr]
    textDirection: { ug: ltr, fr: rtl }
    dateFormat: { de: d. MMMM yyyy, fr: EEEE d MMM }
    numberFormat: { de: { thousands: '.', decimal: ',' }, de-CH: { thousands: '’', decimal: '.', currencySymbol: Fr., currencyPosition: before } }
  enums: { Kind: { values: { a: {}, b: {} } } }
  resources:
    Owner: { object: { name: string }, permissions: { list: ['*'], get: ['*'], create: ['*'] } }
    Boat:
      features: { versioning: true }
      object:
        name: { type: string, required: true, minLength: 2, maxLength: 5, pattern: '^[a-z]+$' }
        kind: { type: string, enum: Kind }
        size: { type: integer, min: 1, max: 9, immutable: true }
        mail: { type: email, unique: true }
        tags: { type: set, items: { type: string } }
        drawn: svg
        place: { type: geometry, geometryType: Point }
        paid: boolean
        builtOn: date
        price: money
        status: { type: string, enum: [afloat, ashore] }
        ownerId: uuid
      relationships: { owner: { type: belongsTo, target: Owner } }
      stateMachine: { field: status, initial: afloat, states: { afloat: { transitions: { lift: { to: ashore } } }, ashore: { final: true } } }
      history: { events: { made: { on: create, label: 'Made', detail: 'As {name}', capture: [name] } } }
      validation: { sober: { expression: "name != 'rum'", message: No rum, fields: [name] } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
      api: { customOperations: [{ name: paint, permissions: ['*'], fields: { paid: true } }] }
  rules: { warn: { trigger: { resource: Boat, on: create }, condition: size > 8, action: warn, message: Large } }
  views: { boats: { source: Boat, permissions: ['*'], columns: [name, { name: both, computed: "concat(name, '!')" }] } }
  reports:
    all:
      permissions: ['*']
      header: 'From {from | date}'
      footer: The end
      parameters: [{ name: from, type: date, default: '2026-03-01' }, { name: yes, type: boolean, default: true }]
      sections:
        - { title: Figures, metrics: [{ label: How many, value: count(Boat) }, { label: Worth, value: "sum(Boat.price)" }] }
        - { title: Rows, table: { view: boats, filter: builtOn < from and paid == yes, emptyMessage: None } }
  dashboards: { deck: { permissions: ['*'], widgets: { n: { type: counter, query: count(Boat) }, paid: { type: breakdown, query: { source: Boat, groupBy: paid } } } } }
`

/** A German word for every key that the ruling names. */
const KEYS = [
  'resources.Boat.label', 'resources.Boat.plural', 'resources.Boat.fields.name.label', 'resources.Boat.relationships.owner.label',
  'resources.Boat.states.afloat.label', 'resources.Boat.transitions.lift.label', 'resources.Boat.operations.paint.label',
  'enums.Kind.label', 'enums.Kind.values.a.label', 'enums.Kind.values.a.description',
  'history.Boat.made.label', 'validation.messages.Boat.sober', 'rules.warn.message',
  'views.boats.label', 'views.boats.description', 'views.boats.columns.name.label', 'views.boats.columns.both.label',
  'reports.all.label', 'reports.all.description', 'reports.all.footer', 'reports.all.parameters.from.label', 'reports.all.sections.0.title',
  'reports.all.sections.0.metrics.0.label', 'reports.all.sections.1.table.emptyMessage',
  'dashboards.deck.label', 'dashboards.deck.description', 'dashboards.deck.widgets.n.label', 'formats.true', 'formats.false',
] as const // prettier-ignore

const RULES = [
  'type', 'required', 'enum', 'minLength', 'maxLength', 'min', 'max', 'pattern', 'format', 'unknown', 'immutable', 'unique', 'reference', 'items',
  'invalid_geometry', 'geometry_type_mismatch', 'svg',
] as const // prettier-ignore

/** What breaks each rule, on which field. */
const BROKEN: Readonly<Record<(typeof RULES)[number], readonly [field: string, body: object]>> = {
  type: ['size', { name: 'ok', size: 'x' }],
  required: ['name', {}],
  enum: ['kind', { name: 'ok', kind: 'z' }],
  minLength: ['name', { name: 'a' }],
  maxLength: ['name', { name: 'abcdef' }],
  min: ['size', { name: 'ok', size: 0 }],
  max: ['size', { name: 'ok', size: 10 }],
  pattern: ['name', { name: 'AB' }],
  format: ['mail', { name: 'ok', mail: 'x' }],
  unknown: ['colour', { name: 'ok', colour: 'red' }],
  immutable: ['size', { size: 5 }],
  unique: ['mail', { name: 'ok', mail: 'held@example.org' }],
  reference: ['ownerId', { name: 'ok', ownerId: '0192b5a4-7c1e-7def-8abc-0123456789ab' }],
  items: ['tags', { name: 'ok', tags: ['a', 'a'] }],
  invalid_geometry: ['place', { name: 'ok', place: { type: 'Point', coordinates: [] } }],
  geometry_type_mismatch: ['place', { name: 'ok', place: { type: 'LineString', coordinates: [[0, 0], [1, 1]] } }],
  svg: ['drawn', { name: 'ok', drawn: 'x' }],
} // prettier-ignore

for (const store of STORES) {
  describe(`keys of texts on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: YARD })
    const send = (method: string, path: string, language: string, body?: unknown) =>
      server().request(method, `/api/v1/${path}`, {
        headers: { 'accept-language': language },
        ...(body !== undefined && { body }),
      })
    const german = (key: string) => `Deutsch ${key.replaceAll('.', ' ')}`
    const take = async (texts: Readonly<Record<string, string>>, locale = 'de') => {
      const rows = Object.entries(texts).map(([key, text]) => `${key},,,"${text.replaceAll('"', '""')}"\r\n`)
      const { request, admin } = server()
      const file = `key,context,en,${locale}\r\n${rows.join('')}`
      return (await sendFile(request, admin, file, '', 'yard')).body.data
    }
    beforeAll(async () => {
      expect(await take(Object.fromEntries(KEYS.map((key) => [key, german(key)])))).toMatchObject({
        imported: KEYS.length,
        skipped: [],
      })
    })

    it('L5 L10 every key may be translated, and is exported', async () => {
      const { request, admin } = server()
      const csv = await exported(request, admin, 'locale=de&format=csv', 'yard')
      for (const key of KEYS) expect(csv).toMatch(new RegExp(`^${key},[^,\\n]+,.*,${german(key)}\\r$`, 'm'))
    })

    it('L5 the schema says them', async () => {
      const { data } = (await send('GET', 'domains/yard/schema', 'de')).body
      const { Boat } = data.resources
      const told = {
        'resources.Boat.label': Boat.label,
        'resources.Boat.plural': Boat.plural,
        'resources.Boat.fields.name.label': Boat.fields.name.label,
        'resources.Boat.relationships.owner.label': Boat.relationships.owner.label,
        'resources.Boat.transitions.lift.label': Boat.stateMachine.transitions.lift.label,
        'resources.Boat.states.afloat.label': Boat.stateMachine.stateLabels.afloat,
        'resources.Boat.operations.paint.label': Boat.api.customOperations[0].label,
        'enums.Kind.label': data.enums.Kind.label,
        'enums.Kind.values.a.label': data.enums.Kind.values.a.label,
        'enums.Kind.values.a.description': data.enums.Kind.values.a.description,
        'views.boats.label': data.views.boats.label,
        'views.boats.description': data.views.boats.description,
        'views.boats.columns.name.label': data.views.boats.columns[0].label,
        'views.boats.columns.both.label': data.views.boats.columns[1].label,
        'reports.all.label': data.reports.all.label,
        'reports.all.description': data.reports.all.description,
        'reports.all.parameters.from.label': data.reports.all.parameters[0].label,
        'dashboards.deck.label': data.dashboards.deck.label,
        'dashboards.deck.description': data.dashboards.deck.description,
        'dashboards.deck.widgets.n.label': data.dashboards.deck.widgets.n.label,
      }
      expect(told).toEqual(Object.fromEntries(Object.keys(told).map((key) => [key, german(key)])))
    })

    it('L5 L9 answers say them, and dates and booleans are those of the locale', async () => {
      const view = (await send('GET', 'yard/views/boats', 'de')).body.data
      expect(view.columns[1].label).toBe(german('views.boats.columns.both.label'))
      const report = (await send('GET', 'yard/reports/all', 'de')).body.data
      expect([report.label, report.description, report.footer, report.header]).toEqual([
        german('reports.all.label'),
        german('reports.all.description'),
        german('reports.all.footer'),
        'From 1. März 2026',
      ])
      expect(report.sections[0].title).toBe(german('reports.all.sections.0.title'))
      expect(report.sections[0].metrics[0].label).toBe(german('reports.all.sections.0.metrics.0.label'))
      expect(report.sections[1].emptyMessage).toBe(german('reports.all.sections.1.table.emptyMessage'))
      const french = (await send('GET', 'yard/reports/all', 'fr')).body.data
      expect(french.header).toBe('From dimanche 1 mars')
      const swiss = (await send('GET', 'yard/reports/all', 'de-CH')).body.data
      expect([swiss.label, swiss.header]).toEqual([german('reports.all.label'), 'From 1. März 2026'])
      expect(swiss.sections[0].metrics[1].text).toBe('Fr.0.00')
      const made = await send('POST', 'yard/boats', 'de', { name: 'ok', size: 9, paid: true })
      expect(made.body.warnings[0].message).toBe(german('rules.warn.message'))
      const { widgets } = (await send('GET', 'yard/dashboards/deck', 'de')).body.data
      expect(widgets.n.label).toBe(german('dashboards.deck.widgets.n.label'))
      expect(widgets.paid.groups[0].label).toBe(german('formats.true'))
      const { items } = (await send('GET', `yard/boats/${made.body.data.id}/history`, 'de')).body.data
      expect(items[0]).toMatchObject({ label: german('history.Boat.made.label'), detail: 'As ok' })
      const rum = await send('POST', 'yard/boats', 'de', { name: 'rum' })
      expect(rum.body.errors[0].message).toBe(german('validation.messages.Boat.sober'))
    })

    it('L6 every rule has English words, and others where they are said, down to one field', async () => {
      const said = async (rule: (typeof RULES)[number], language: string) => {
        const [field, body] = BROKEN[rule]
        const path = rule === 'immutable' ? `yard/boats/${boat}` : 'yard/boats'
        const { status, body: answer } = await send(
          rule === 'immutable' ? 'PATCH' : 'POST',
          path,
          language,
          body,
        )
        const fault = answer.errors?.find((one: any) => one.field.startsWith(field) && one.rule === rule)
        const code = rule === 'unique' ? 409 : 422
        expect([rule, status, fault?.rule]).toEqual([rule, code, rule])
        return fault
      }
      const boat = (
        await send('POST', 'yard/boats', 'en', { name: 'held', size: 2, mail: 'held@example.org' })
      ).body.data.id
      for (const rule of RULES) {
        const { message } = await said(rule, 'en')
        expect(message).toMatch(/^[ -~]{5,}$/)
        expect(await said(rule, 'de')).toMatchObject({ message })
      }
      const texts = RULES.map((rule) => [`validation.messages.${rule}`, `${rule}: {label} {field}`] as const)
      expect(await take(Object.fromEntries(texts))).toMatchObject({ imported: RULES.length, skipped: [] })
      for (const rule of RULES) {
        const { message, label, field } = await said(rule, 'de-CH')
        expect(message).toBe(`${rule}: ${label ?? field} ${field}`)
        expect((await said(rule, 'en')).message).not.toBe(message)
      }
      const names = {
        'validation.messages.maxLength': 'höchstens {limit}',
        'validation.messages.enum': 'aus {values}',
        'validation.messages.type': 'ein {type}',
        'validation.messages.Boat.name.required': '{label} muss sein',
      }
      await take(names)
      expect([(await said('maxLength', 'de')).message, (await said('enum', 'de')).message]).toEqual([
        'höchstens 5',
        'aus a, b',
      ])
      expect((await said('type', 'de')).message).toMatch(/^ein \S+/)
      expect((await said('required', 'de')).message).toBe(
        `${german('resources.Boat.fields.name.label')} muss sein`,
      )
    })

    it('L6 what was told a moment ago is told in other words once there are some', async () => {
      const told = async (language: string) => {
        const { errors } = (await send('POST', 'yard/boats', language, { name: 'abcdef', size: 0 })).body
        return errors.map(({ message }: { message: string }) => message)
      }
      for (const words of ['höchstens', 'bis zu']) {
        await take({ 'validation.messages.maxLength': `${words} {limit}`, 'validation.messages.min': words })
        for (let time = 0; time < 2; time += 1) expect(await told('de')).toEqual([`${words} 5`, words])
      }
      expect(await told('fr')).not.toContain('bis zu')
      expect(await told('de')).toContain('bis zu')
    })

    it.each([
      ['ar', 'rtl'], ['dv', 'rtl'], ['fa', 'rtl'], ['he', 'rtl'], ['ps', 'rtl'], ['sd', 'rtl'], ['ur', 'rtl'], ['yi', 'rtl'], ['he-IL', 'rtl'],
      ['ug', 'ltr'], ['fr', 'rtl'], ['en', 'ltr'], ['de-CH', 'ltr'],
    ])('L8 %s is written %s', async (language, direction) => {
      const { localization } = (await send('GET', 'domains/yard/schema', language)).body.data
      expect([localization.locale, localization.textDirection]).toEqual([language, direction])
    }) // prettier-ignore

    it('L2 what a long header says first is heard, wherever it is cut', async () => {
      for (let length = 960; length < 1010; length += 1) {
        const tag = 'xx-abcdefgh-abcdefgh-abcdefgh-abcdefgh-abcdefgh-abcdefgh;q=0.5'
        const header =
          `de, ${Array(20).fill(tag).join(', ')}`.slice(0, length).replace(/,[^,]*$/, '') + `, ${tag}`
        const { body } = await send('GET', 'yard/boats', header)
        expect([length, body._meta]).toEqual([length, { locale: 'de', localeResolved: 'de' }])
      }
    })
  })
}
