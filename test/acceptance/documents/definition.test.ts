import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const shop = (templates: string, more = '') => `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { number: string, total: decimal, shot: { type: media, accept: image/png }, papers: { type: media, maxItems: 9 } }
    Line: { object: { orderId: uuid, title: string } }${more}
  templates:
${templates}
`
const one = (keys: string, body = 'x') => `    slip: { ${keys}${keys && ', '}body: ${JSON.stringify(body)} }`
const ofOrder = 'data: { order: { record: Order } }'

for (const store of STORES) {
  describe(`the key templates on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const submit = async (definition: string) => {
      const { admin: token, request } = server()
      const { status, body } = await request('POST', '/api/v1/domains', {
        token,
        body: { content: definition },
      })
      return { status, body }
    }
    const faults = async (definition: string) => {
      const { body } = await submit(definition)
      const errors = body.errors ?? body.data?.errors ?? []
      return errors.map(({ path, message }: any) => `${path.replace('domain.templates.', '')}: ${message}`)
    }
    const warnings = async (definition: string) => {
      const { status, body } = await submit(definition)
      expect([status, body.errors]).toEqual([201, undefined])
      return (body.warnings ?? []).map(({ message }: any) => message)
    }

    const MISTAKES: readonly (readonly [what: string, templates: string, told: RegExp])[] = [
      ['a body that is missing', '    slip: { format: html }', /slip\.body/],
      ['a name', '    1slip: { body: x }', /1slip/],
      ['a format', one('format: odt'), /slip\.format/],
      [
        'a resource',
        one('data: { order: { record: Ordre } }'),
        /slip\.data\.order\.record: there is no resource 'Ordre'/,
      ],
      [
        'a source',
        one('data: { lines: { source: Lines } }'),
        /slip\.data\.lines\.source: there is no resource/,
      ],
      ['a record without a resource', one('data: { order: record }'), /slip\.data\.order: /],
      [
        'two records',
        one('data: { a: { record: Order }, b: { record: Order } }'),
        /slip\.data\.b: there is one record/,
      ],
      [
        'a source of two kinds',
        one('data: { a: { source: Line, static: 1 } }'),
        /slip\.data\.a\.static: means nothing beside 'source'/,
      ],
      ['a source of no kind', one('data: { a: {} }'), /slip\.data\.a: names nothing/],
      [
        'a field of a filter',
        one("data: { a: { source: Line, filter: titel == 'x' } }"),
        /slip\.data\.a\.filter: .*titel/,
      ],
      [
        'a field of $record',
        one(`data: { order: { record: Order }, a: { source: Line, filter: title == $record.nummer } }`),
        /slip\.data\.a\.filter/,
      ],
      [
        'a field of a sort',
        one('data: { a: { source: Line, sort: titel desc } }'),
        /slip\.data\.a\.sort: 'Line' has no stored field/,
      ],
      [
        'a relationship',
        one('data: { a: { source: Line, include: order } }'),
        /slip\.data\.a\.include: 'Line' has no relationship/,
      ],
      [
        'a name that comes later',
        one('data: { a: { computed: size(b) }, b: { static: [1] } }'),
        /slip\.data\.a\.computed/,
      ],
      [
        'a name that is there already',
        one('data: { config: { static: 1 } }'),
        /slip\.data\.config: 'config' is there/,
      ],
      [
        'a history that is not kept',
        one('data: { order: { record: Order }, h: { history: true } }'),
        /slip\.data\.h\.history: 'Order' has no history/,
      ],
      ['a field of the body', one(ofOrder, 'x\n{nummer}'), /slip\.body: .*nummer/],
      ['a field of a data name', one(ofOrder, '{order.nummer}'), /slip\.body: .*nummer/],
      ['a function', one(ofOrder, '{shout(number)}'), /slip\.body: .*shout/],
      ['a number of arguments', one(ofOrder, '{lower(number, 1, 2)}'), /slip\.body: /],
      ['a pipe', one(ofOrder, '{total | mony}'), /slip\.body: .*mony/],
      ['a block left open', one(ofOrder, '{#if total > 1}x'), /slip\.body: .*left open/],
      ['a picture from elsewhere', one('', '![x](https://x.test/a.png)'), /slip\.body: .*picture/],
      ['a text of one locale', `    slip: { body: { en: x, de: '{nothing}' } }`, /slip\.body\.de: /],
      ['a footer', one('layout: { footer: { right: "{nothing}" } }'), /slip\.layout\.footer\.right: /],
      ['a page', one('layout: { pageSize: B9 }'), /slip\.layout\.pageSize/],
      ['a font', one('layout: { font: Nothing }'), /slip\.layout\.font: there is no family/],
      ['a filename', one('filename: "{nothing}"'), /slip\.filename: /],
      [
        'a type of a parameter',
        one('parameters: [{ name: a, type: strin }]'),
        /slip\.parameters\.0\.type: there is no type 'strin'/,
      ],
      ['a password', one('parameters: [{ name: a, type: password }]'), /slip\.parameters\.0\.type/],
      ['a parameter twice', one('parameters: [{ name: a }, { name: a }]'), /slip\.parameters\.1\.name/],
      ['a parameter called recordId', one('parameters: [{ name: recordId }]'), /slip\.parameters\.0\.name/],
      [
        'a default',
        one('parameters: [{ name: a, type: integer, default: someday() }]'),
        /slip\.parameters\.0\.default/,
      ],
      [
        'a default outside enum',
        one('parameters: [{ name: a, enum: [b], default: c }]'),
        /slip\.parameters\.0\.default/,
      ],
      ['a condition', one(`${ofOrder}, condition: totl > 1`), /slip\.condition: .*totl/],
      ['a condition without a record', one('condition: 1 == 1'), /slip\.condition: /],
      [
        'a permission',
        one('permissions: { generate: clerk }'),
        /slip\.permissions\.generate: 'clerk' is no expression/,
      ],
      ['a zone', one('timezone: Mars/Base'), /slip\.timezone: /],
      ['a trigger without an event', one('trigger: { resource: Order }'), /slip\.trigger\.event/],
      ['a trigger without a resource', one('trigger: { event: create }'), /slip\.trigger\.resource/],
      ['an event', one('trigger: { resource: Order, event: created }'), /slip\.trigger/],
      ['a field that holds no files', one(`${ofOrder}, attachTo: number`), /slip\.attachTo: /],
      [
        'a field that does not accept the format',
        one(`${ofOrder}, attachTo: shot`),
        /slip\.attachTo: the field does not accept application\/pdf/,
      ],
    ]

    it('C6.1, C6.3: refuses what cannot be, and says where it stands', async () => {
      for (const [what, templates, told] of MISTAKES)
        expect
          .soft(await faults(shop(templates)), what)
          .toEqual(expect.arrayContaining([expect.stringMatching(told)]))
    })

    it('C6.1: takes what is right, and says what has no effect', async () => {
      expect(
        await warnings(
          shop(one(`${ofOrder}, timezone: Europe/Berlin, permissions: { generate: "total > 1" }`)),
        ),
      ).toEqual([])
      const set =
        'trigger: { resource: Order, event: [create, update] }, attachTo: papers, colour: red, ' +
        "notification: { channels: [log], template: { body: '{number} {order.total} {document.filename} {$params.day}' } }, " +
        'parameters: [{ name: day }]'
      const told = await warnings(shop(one(`${set}, data: { order: record }`, '{number} {order.total}')))
      expect(told).toHaveLength(2)
      for (const what of [/an event says no parameters: .*'day'/, /colour|not known/])
        expect(told).toContainEqual(expect.stringMatching(what))
      expect(await warnings(shop(one('', '<b>x</b>')))).toEqual(
        expect.arrayContaining([expect.stringMatching(/raw HTML is left out/)]),
      )
      expect(
        await warnings(shop(one(`${ofOrder}, permissions: { generate: [Authenticated] }`, 'No {{number}}'))),
      ).toEqual([
        expect.stringMatching(/generate\.0: 'Authenticated' is taken for the name of a role/),
        expect.stringMatching(/'\{\{number\}\}' writes/),
      ])
    })

    it('C7.1, C7.7: refuses places that are none, and resources that stand in the way', async () => {
      for (const path of ['../up', 'a/../b', '/a', 'a//b', 'a b', '.hidden', 'a\\b'])
        expect(await faults(shop(one(''), `\n  documentStorage: { path: '${path}' }`))).toEqual([
          expect.stringMatching(/documentStorage\.path/),
        ])
      const days = `\n  documentStorage: { retention: { days: 0 } }`
      expect(await faults(shop(one(''), days))).toEqual([expect.stringMatching(/retention\.days/)])
      const resource =
        '\n    Template: { object: { name: string } }\n    Document: { object: { name: string } }'
      expect(await faults(shop(one(''), resource))).toEqual([
        expect.stringMatching(/Template/),
        expect.stringMatching(/Document/),
      ])
    })
  })
}
