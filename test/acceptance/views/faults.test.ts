import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { office } from './office.ts'

const view = (keys: string) => `    v: { source: Invoice, ${keys} }`
const column = (keys: string) => view(`columns: [{ ${keys} }]`)

/** What is written, and what is told of it by its path. */
const FAULTS: readonly (readonly [ruling: string, what: string, views: string, told: RegExp])[] = [
  ['V1', 'no source', '    v: { columns: [number] }', /v\.source/],
  ['V1', 'no columns', '    v: { source: Invoice }', /v\.columns/],
  ['V1', 'an empty list of columns', view('columns: []'), /v\.columns/],
  [
    'V1',
    'a source that is not there',
    '    v: { source: Invoce, columns: [number] }',
    /v\.source: there is no resource 'Invoce' .*Did you mean 'Invoice'/,
  ],
  ['V1', 'a filter over an unknown field', view('columns: [number], filter: totl > 1'), /v\.filter: .*totl/],
  [
    'V1',
    'a filter that SQL cannot say',
    view("columns: [number], filter: \"formatDate(dueOn, 'yyyy') == '2026'\""),
    /v\.filter: .*database/,
  ],
  [
    'V1',
    'a filter over a virtual field',
    view('columns: [number], filter: net > 1'),
    /v\.filter: 'net' is worked out/,
  ],
  [
    'V1',
    'a scope that is not there',
    view('columns: [number], scope: larg'),
    /v\.scope: 'Invoice' has no scope 'larg' .*large/,
  ],
  [
    'V1',
    'a sort by an unknown field',
    view('columns: [number], sort: numbr desc'),
    /v\.sort: 'Invoice' has no stored field 'numbr' .*number/,
  ],
  ['V1', 'a sort by a virtual field', view('columns: [number], sort: net'), /v\.sort: /],
  ['V1', 'a sort along a relationship', view('columns: [number], sort: customer.name'), /v\.sort: /],
  ['V1', 'a list for columns', view('columns: number'), /v\.columns: must be a list/],
  ['V1', 'nothing at all', '    v:', /v: must be a map/],
  [
    'V1',
    'accounts',
    '    v: { source: User, columns: [username] }',
    /v\.source: there is no resource 'User'/,
  ],
  ['V1', 'a direction of a sort', view('columns: [number], sort: number up'), /v\.sort: /],
  ['V1', 'a limit of 0', view('columns: [number], defaultLimit: 0'), /v\.defaultLimit/],
  ['V1', 'a limit of 1001', view('columns: [number], defaultLimit: 1001'), /v\.defaultLimit/],
  [
    'V1',
    '101 columns',
    view(
      `columns: [${Array.from({ length: 101 }, (_, at) => `{ name: c${at}, computed: '1' }`).join(', ')}]`,
    ),
    /v\.columns/,
  ],
  ['V2', 'a column that shows nothing', column('label: x'), /v\.columns\.0: shows nothing/],
  [
    'V2',
    'a column of both kinds',
    column("field: number, name: x, computed: '1'"),
    /v\.columns\.0: has a field and is computed/,
  ],
  [
    'V2',
    'a computed column without a name',
    column("computed: '1'"),
    /v\.columns\.0: is computed and has no name/,
  ],
  [
    'V2',
    'a name twice',
    view('columns: [number, { field: gross, name: number }]'),
    /v\.columns\.1: there are two columns called 'number'/,
  ],
  [
    'V2',
    'a name that begins with _',
    column('field: number, name: _x'),
    /v\.columns\.0\.name: '_x' begins with _/,
  ],
  [
    'V2',
    'an unknown field',
    view('columns: [numbr]'),
    /v\.columns\.0\.field: 'Invoice' has no field 'numbr' .*number/,
  ],
  [
    'V3',
    'two hops',
    view('columns: [customer.town.name]'),
    /v\.columns\.0\.field: goes through more than one/,
  ],
  [
    'V3',
    'a hasMany',
    '    v: { source: Customer, columns: [invoices.number] }',
    /v\.columns\.0\.field: 'Customer' has no relationship/,
  ],
  [
    'V3',
    'an unknown relationship',
    view('columns: [customr.name]'),
    /v\.columns\.0\.field: 'Invoice' has no relationship 'customr' .*customer/,
  ],
  [
    'V3',
    'an unknown field of a target',
    view('columns: [customer.nam]'),
    /v\.columns\.0\.field: 'Customer' has no field 'nam' .*name/,
  ],
  [
    'V3',
    'an address of an account',
    view('columns: [user.email]'),
    /v\.columns\.0\.field: an account shows no field 'email'/,
  ],
  [
    'V4',
    'a formula over an unknown field',
    column('name: x, computed: totl * 2'),
    /v\.columns\.0\.computed: .*totl/,
  ],
  [
    'V5',
    'a highlight over an unknown field',
    column('field: number, highlight: totl > 1'),
    /v\.columns\.0\.highlight: .*totl/,
  ],
  ['F2', 'a name', '    1v: { source: Invoice, columns: [number] }', /1v/],
  [
    'F3',
    'the owner',
    view('columns: [number], permissions: [owner]'),
    /v\.permissions\.0: 'owner' asks for a record/,
  ],
  [
    'F3',
    'a question mark',
    view("columns: [number], permissions: '?'"),
    /v\.permissions: '\?' asks for a record/,
  ],
  [
    'F3',
    'a role that is no list',
    view('columns: [number], permissions: clerk'),
    /v\.permissions: 'clerk' is no expression/,
  ],
  [
    'F3',
    'an expression over a record',
    view('columns: [number], permissions: gross > 1'),
    /v\.permissions: .*gross/,
  ],
  [
    'F3',
    'an expression about the owner',
    view('columns: [number], permissions: isOwner()'),
    /v\.permissions: 'isOwner' needs/,
  ],
  ...[
    "inState('open')",
    "field('number') == 'x'",
    "hasField('number')",
    'record.number == null',
    'previous.number == null',
    'record == null',
  ].map((written): (typeof FAULTS)[number] => [
    'F3',
    `a record read by ${written}`,
    view(`columns: [number], permissions: "${written}"`),
    /v\.permissions: /,
  ]),
  [
    'F6',
    'a hidden column',
    view('columns: [secret]'),
    /v\.columns\.0\.field: nobody may read 'secret' .*requestable/,
  ],
  [
    'V2',
    'a column called as the key',
    view('columns: [{ field: number, name: id }]'),
    /v\.columns\.0\.name: 'id' is the key/,
  ],
  [
    'F6',
    'a password',
    '    v: { source: Ledger, columns: [pin] }',
    /v\.columns\.0\.field: nobody may read 'pin'/,
  ],
  [
    'F6',
    'a password in a filter',
    '    v: { source: Ledger, columns: [text], filter: isNull(pin) }',
    /v\.filter: /,
  ],
  [
    'F6',
    'a password in a highlight',
    '    v: { source: Ledger, columns: [{ field: text, highlight: isNull(pin) }] }',
    /v\.columns\.0\.highlight: /,
  ],
  [
    'F6',
    'a hidden field in a highlight',
    column("field: number, highlight: secret == 'x'"),
    /v\.columns\.0\.highlight: nobody may read 'secret'/,
  ],
  [
    'F6',
    'a hidden field in a filter',
    view("columns: [number], filter: secret == 'x'"),
    /v\.filter: nobody may read 'secret'/,
  ],
  [
    'F6',
    'a hidden field in a formula',
    column('name: x, computed: secret'),
    /v\.columns\.0\.computed: nobody may read 'secret'/,
  ],
  [
    'F6',
    'a hidden field in a sort',
    view('columns: [number], sort: secret'),
    /v\.sort: nobody may read 'secret'/,
  ],
  [
    'F7',
    'a format',
    column('field: gross, format: mony'),
    /v\.columns\.0\.format: there is no format 'mony' .*money/,
  ],
  [
    'F7',
    'parentheses that say nothing',
    column('field: dueOn, format: date()'),
    /v\.columns\.0\.format: .*says nothing/,
  ],
  [
    'F7',
    'parentheses that mean nothing',
    column('field: gross, format: text(1)'),
    /v\.columns\.0\.format: .*takes nothing/,
  ],
  [
    'F7',
    'decimals of a format',
    column('field: gross, format: decimal(11)'),
    /v\.columns\.0\.format: .*decimals/,
  ],
  [
    'F7',
    'a pattern of a date',
    column('field: dueOn, format: date(foo)'),
    /v\.columns\.0\.format: .*means nothing in a date format/,
  ],
  ['F7', 'a currency', column('field: gross, format: money(Euro)'), /v\.columns\.0\.format: .*currency/],
  [
    'F7',
    'a currency that there is not',
    column('field: gross, format: money(ZZZ)'),
    /v\.columns\.0\.format: there is no currency 'ZZZ': write a code of ISO 4217/,
  ],
  [
    'F7',
    'nearly a currency',
    column('field: gross, format: money(EUT)'),
    /v\.columns\.0\.format: there is no currency 'EUT': did you mean 'EUR'\?/,
  ],
  [
    'F10',
    'a unit of the calendar',
    view('columns: [number], filter: "dueOn >= startOf(today(), \'fortnight\')"'),
    /v\.filter: .*fortnight.*no unit/,
  ],
]

for (const store of STORES) {
  describe(`the key views on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const submit = async (definition: string) => {
      const { admin: token, request } = server()
      return request('POST', '/api/v1/domains', {
        token,
        body: { content: definition, allow_destructive: true },
      })
    }

    // What is wrong is found before a store is asked.
    it.each(FAULTS)('%s %s is refused', async (_, __, views, told) => {
      const { status, body } = await submit(office(views))
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      const all = body.errors.map(({ path, message, hint, line }: any) => {
        expect(line).toBeGreaterThan(0)
        return `${path.replace('domain.views.', '')}: ${message} ${hint ?? ''}`
      })
      expect(all.join('\n')).toMatch(told)
    })

    it('F3 an expression about the caller may say any text', async () => {
      for (const written of ["user.id == 'record'", "user.id != 'field(previous)'", "hasRole('record')"]) {
        const { status, body } = await submit(
          office(`    v: { source: Invoice, columns: [number], permissions: "${written}" }`),
        )
        expect([written, status, body.errors]).toEqual([written, 201, undefined])
      }
    })

    it('F2 a collection where views answer needs a path of its own', async () => {
      const definition = (more: string) =>
        office('    v: { source: Invoice, columns: [number] }').replace(
          '    Customer:\n',
          `    View: { object: { a: string }${more} }\n    Customer:\n`,
        )
      const { body } = await submit(definition(''))
      expect(JSON.stringify(body.errors)).toMatch(/where the key 'views' does.*api\.path/)
      expect((await submit(definition(', api: { path: /looks }'))).status).toBe(201)
    })

    it('F6 V1 warns where a role may not read what the filter asks about, and of keys that nobody knows', async () => {
      const { status, body } = await submit(
        office(
          "    v: { source: Invoice, columns: [number], filter: note == 'x', permissions: [clerk, admin], colour: red }",
        ),
      )
      expect(status).toBe(201)
      expect(body.warnings.map(({ message }: any) => message).join('\n')).toMatch(
        /'clerk' may not read 'note'/,
      )
      expect(JSON.stringify(body.warnings)).toMatch(/colour/)
      expect(JSON.stringify(body.warnings)).not.toMatch(/'admin' may not/)
    })

    it('V1 warns of names that are hardly those of roles', async () => {
      const { body } = await submit(
        office('    v: { source: Invoice, columns: [number], permissions: [clerk, public, onwer] }'),
      )
      expect(body.warnings.map(({ message }: any) => message)).toEqual([
        expect.stringMatching(/v\.permissions\.1: 'public' is taken for the name of a role/),
        expect.stringMatching(
          /v\.permissions\.2: 'onwer' is taken .* \(Name roles: there is no owner here\)/,
        ),
      ])
    })

    it('F2 without the key nothing answers there', async () => {
      expect((await submit(office('').replace(/\n {2}views:\n/, '\n'))).status).toBe(201)
      const { admin: token, request } = server()
      expect((await request('GET', '/api/v1/office/views/v', { token })).status).toBe(404)
    })
  })
}
