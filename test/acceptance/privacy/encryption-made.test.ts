import { describe, expect, it } from 'vitest'
import { everythingKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { clinic, config, OPEN, sealed, sender } from './clinic.ts'

/** A field that is worked out on every read, of an encrypted one. */
const OBJECT = `name: string
        ssn: ${sealed('type: string')}
        own: { type: string, computed: "upper(ssn)" }`

for (const store of STORES) {
  describe(`what is made of encrypted values on ${store.name}`, () => {
    const server = useTestKernel({ store, config })
    const send = sender(server)
    const submit = (parts: {
      readonly object?: string
      readonly others?: string
      readonly domain?: string
    }) => {
      const content = clinic({ object: OBJECT, more: '', ...parts })
      return send('POST', '/api/v1/domains', { content, allow_destructive: true })
    }

    it.each([
      [
        'a stored formula, by way of one that is not stored',
        {
          object: `${OBJECT}\n        kept: { type: string, computed: { expression: lower(own), stored: true } }`,
        },
        'object.kept',
      ],
      [
        'a stored formula, at any depth',
        {
          object: `${OBJECT}
        more: { type: string, computed: "concat(own, '!')" }
        kept: { type: integer, computed: { expression: length(more), stored: true } }`,
        },
        'object.kept',
      ],
      [
        'a sheet that keeps every formula',
        {
          others: `Page:
      mode: sheet
      computedFields: { reactive: true }
      object: { ssn: ${sealed('type: string')} }
      computed: { own: upper(ssn) }
      permissions: ${OPEN}`,
        },
        'computed.own',
      ],
    ])('E1: is refused where it would be kept in the clear: %s', async (_, parts, path) => {
      const { status, body } = await submit(parts)
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(body.errors).toContainEqual(
        expect.objectContaining({
          path: expect.stringContaining(path),
          message: expect.stringContaining("'ssn' keeps its values sealed"),
        }),
      )
    })

    it.each([
      ['itself', '{ssn}'],
      ['made of it', 'of {own}'],
      ['of a related record', '{patient.own}'],
    ])('E5: names no document and tags no firing: %s', async (_, text) => {
      const resource = text.includes('patient') ? 'Visit' : 'Patient'
      const templates = `templates:
    slip: { data: { one: { record: ${resource} } }, body: x, filename: ${JSON.stringify(text)} }
  schedules:
    often: { recurrence: '@daily', source: { resource: ${resource} }, tag: ${JSON.stringify(text)}, action: noop }`
      const { status, body } = await submit({ domain: templates })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(
        body.errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
      ).toEqual(
        expect.arrayContaining([
          ['domain.templates.slip.filename', expect.stringContaining("'ssn' is encrypted")],
          ['domain.schedules.often.tag', expect.stringContaining("'ssn' is encrypted")],
        ]),
      )
    })

    it('E5: names no document by way of the data of its template', async () => {
      const template = (filename: string) =>
        `templates:\n    slip: { data: { one: { record: Patient }, who: { computed: own }, what: { computed: "concat(who, '!')" } }, body: '{what}', filename: '${filename}' }`
      const refused = await submit({ domain: template('of {what}') })
      expect([refused.status, refused.body.errors?.[0].path]).toEqual([422, 'domain.templates.slip.filename'])
      const made = await submit({ domain: template('of {name}') })
      expect([made.status, made.body.errors]).toEqual([201, undefined])
    })

    it('E1, E5: makes no column of a sheet', async () => {
      const others = `Page:
      mode: sheet
      dynamicFields: { permissions: { addColumn: ['*'] } }
      object:
        name: string
        ssn: ${sealed('type: string')}
        own: { type: string, computed: "upper(ssn)" }
        more: { type: string, computed: "concat(own, '!')" }
      permissions: ${OPEN}`
      const made = await submit({ others })
      expect([made.status, made.body.errors]).toEqual([201, undefined])
      const pages = '/api/v1/clinic/pages'
      const page = await send('POST', pages, { name: 'one', ssn: 'canary-sheet' })
      expect([page.status, page.body.data.more]).toEqual([201, 'CANARY-SHEET!'])
      for (const expression of ['ssn', 'own', "concat(own, '!')", 'more', 'length(more)']) {
        const type = expression.startsWith('length') ? 'integer' : 'string'
        const { status, body } = await send('POST', `${pages}/columns`, { name: 'copy', type, expression })
        expect([expression, status, body.errors?.[0].rule]).toEqual([expression, 422, 'expression'])
      }
      const column = { name: 'copy', type: 'string', expression: "concat(name, '!')" }
      expect((await send('POST', `${pages}/columns`, column)).status).toBe(201)
      expect(await everythingKept(server().database)).not.toMatch(/canary-sheet/i)
    })

    it('E1, E5: makes no value of a formula that a record has', async () => {
      const others = (hidden: boolean) => `Note:
      mode: sheet
      computedFields: { overridable: [label, size] }
      object:
        name: string
        ssn: { type: string, hidden: ${hidden}, privacy: { encrypted: true } }
        own: { type: string, computed: "upper(ssn)" }
        more: { type: string, computed: "concat(own, '!')" }
        label: { type: string, computed: { expression: lower(name), stored: true } }
        size: { type: integer, computed: { expression: length(label), stored: true } }
      permissions: ${OPEN}`
      // A formula of a record may name whatever its writer sees.
      expect((await submit({ others: others(false) })).status).toBe(422)
      const made = await submit({ others: others(true) })
      expect([made.status, made.body.errors]).toEqual([201, undefined])
      const notes = '/api/v1/clinic/notes'
      const note = await send('POST', notes, { name: 'one', ssn: 'canary-note' })
      const at = `${notes}/${note.body.data.id}`
      for (const [field, expression] of [
        ['label_formula', 'own'],
        ['label_formula', "concat(more, '?')"],
        ['size_formula', 'length(own)'],
      ] as const) {
        const { status, body } = await send('PATCH', at, { [field]: expression })
        const message = expect.stringMatching(/^'(own|more)' keeps its values sealed/)
        expect([status, body.errors?.[0]]).toEqual([422, { field, rule: 'expression', message }])
      }
      const allowed = await send('PATCH', at, { label_formula: 'upper(name)' })
      expect(allowed.body.data).toMatchObject({ label: 'ONE', size: 3 })
      expect(await everythingKept(server().database)).not.toMatch(/canary-note/i)
    })
  })
}
