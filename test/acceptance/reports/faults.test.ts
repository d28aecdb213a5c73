import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { office } from '../views/office.ts'

const VIEWS =
  '    all: { source: Invoice, columns: [number, gross, customer.name, dueOn, { name: text, computed: "formatDate(dueOn, \'yyyy\')" }] }'
const report = (keys: string) => `  reports:\n    r: { ${keys} }`
const metric = (value: string, more = '') =>
  report(`sections: [{ metrics: [{ label: x, value: ${JSON.stringify(value)}${more} }] }]`)
const table = (keys: string) => report(`sections: [{ table: { ${keys} } }]`)
const parameter = (keys: string) =>
  report(
    `parameters: [{ ${keys} }], header: '{p}', sections: [{ metrics: [{ label: x, value: count(Invoice) }] }]`,
  )

const FAULTS: readonly (readonly [ruling: string, what: string, reports: string, told: RegExp])[] = [
  ['R1', 'no sections', report('label: x'), /r\.sections/],
  ['R1', 'an empty list of sections', report('sections: []'), /r\.sections/],
  [
    'R1',
    'a section of both kinds',
    report('sections: [{ metrics: [{ label: x, value: count(Invoice) }], table: { view: all } }]'),
    /sections\.0: has metrics and a table/,
  ],
  ['R1', 'a section of no kind', report('sections: [{ title: x }]'), /sections\.0: shows nothing/],
  [
    'R1',
    'a header over nothing',
    report("header: '{nothing}', sections: [{ table: { view: all } }]"),
    /r\.header: .*nothing/,
  ],
  [
    'R2',
    'a type',
    parameter('name: p, type: strin'),
    /parameters\.0\.type: there is no type 'strin' .*string/,
  ],
  ['R2', 'a password', parameter('name: p, type: password'), /parameters\.0\.type/],
  ['R2', 'a token', parameter('name: p, type: token'), /parameters\.0\.type/],
  [
    'R2',
    'a parameter twice',
    report("parameters: [{ name: p }, { name: p }], header: '{p}', sections: [{ table: { view: all } }]"),
    /parameters\.1\.name: there are two/,
  ],
  [
    'R2',
    'a parameter called format',
    parameter('name: format'),
    /parameters\.0\.name: 'format' has a meaning/,
  ],
  ...['section', 'user', 'record', 'previous', 'op'].map((name): (typeof FAULTS)[number] => [
    'R2',
    `a parameter called ${name}`,
    parameter(`name: ${name}`),
    new RegExp(`parameters\\.0\\.name: '${name}' has a meaning`),
  ]),
  ['R2', 'a parameter with a sign', parameter("name: 'a-b'"), /parameters\.0\.name/],
  ['R2', 'a parameter called as nothing may be', parameter('name: p, type: [string]'), /parameters\.0\.type/],
  ...['json', 'array', 'set', 'blocks', 'component', 'repeater', 'geometry', 'autoincrement'].map(
    (type): (typeof FAULTS)[number] => [
      'R2',
      `a parameter of the type ${type}`,
      parameter(`name: p, type: ${type}`),
      /parameters\.0\.type: .*no type of parameters/,
    ],
  ),
  ['R2', 'a default that is a map', parameter('name: p, default: { a: 1 }'), /parameters\.0\.default/],
  ['R2', 'an empty list of values', parameter('name: p, enum: []'), /parameters\.0\.enum/],
  ...[
    ['integer', '1.5'],
    ['date', '2026-02-30'],
    ['boolean', 'perhaps'],
    ['uuid', 'me'],
    ['email', 'me'],
  ].map(([type, value]): (typeof FAULTS)[number] => [
    'R2',
    `a value that is none of the type ${type}`,
    parameter(`name: p, type: ${type}, enum: ['${value}']`),
    new RegExp(`parameters\\.0\\.enum\\.0: '${value}' is no value of the type '${type}'`),
  ]),
  [
    'R2',
    'a default over a record',
    parameter('name: p, type: integer, default: gross'),
    /parameters\.0\.default: .*gross/,
  ],
  [
    'R2',
    'a parameter called as a field',
    parameter('name: gross'),
    /parameters\.0\.name: 'gross' is a field of 'Invoice'/,
  ],
  [
    'R2',
    'a parameter called as a relationship',
    parameter('name: customer'),
    /parameters\.0\.name: 'customer' is a relationship of 'Invoice'/,
  ],
  [
    'R2',
    'a default that does not fit',
    parameter('name: p, type: integer, default: someday()'),
    /parameters\.0\.default/,
  ],
  ['R2', 'a default outside enum', parameter('name: p, enum: [a], default: b'), /parameters\.0\.default/],
  [
    'R2',
    'an enumeration',
    parameter('name: p, enum: Stats'),
    /parameters\.0\.enum: there is no enumeration 'Stats' .*Status/,
  ],
  [
    'R2',
    '21 parameters',
    report(
      `parameters: [${Array.from({ length: 21 }, (_, at) => `{ name: p${at} }`).join(', ')}], sections: [{ table: { view: all } }]`,
    ),
    /r\.parameters/,
  ],
  [
    'F8',
    'an unknown source',
    metric('count(Invoce)'),
    /value: there is no resource or view 'Invoce'.*Invoice/,
  ],
  ['F8', 'an unknown field', metric('sum(Invoice.gros)'), /value: 'Invoice' has no field 'gros' .*gross/],
  ['F8', 'an unknown column', metric('sum(all.note)'), /value: the view 'all' has no column 'note'/],
  ['F8', 'a sum of texts', metric('sum(Invoice.number)'), /value: 'sum' takes numbers/],
  ['F8', 'the least of texts', metric('min(Invoice.number)'), /value: 'min' takes numbers, dates and times/],
  ['F8', 'a sum of records', metric('sum(Invoice)'), /value: 'sum' needs a field/],
  [
    'F8',
    'an aggregate in another',
    metric('count(Invoice, gross > avg(Invoice.gross))'),
    /value: .*inside another/,
  ],
  ['F8', 'an aggregate of another', metric('sum(sum(Invoice.gross) + 1)'), /value: .*inside another/],
  ['F8', 'a count of counts', metric('count(count(Invoice))'), /value: .*inside another/],
  ['F8', 'a condition over a column', metric('count(all, text == 1)'), /value: .*text/],
  ['F8', 'a condition over an unknown field', metric('count(Invoice, totl > 1)'), /value: .*totl/],
  [
    'F8',
    'a condition that SQL cannot say',
    metric("count(Invoice, formatDate(dueOn, 'yyyy') == '2026')"),
    /value: .*database/,
  ],
  ['F8', 'a formula that SQL cannot say', metric('countDistinct(all.text)'), /value: .*database/],
  ['F8', 'a record', metric('gross + count(Invoice)'), /value: .*gross/],
  ['F8', 'three arguments', metric('count(Invoice, gross > 1, 2)'), /value: 'count' takes a source/],
  ['F6', 'a hidden field', metric('count(Invoice.secret)'), /value: nobody may read 'secret'/],
  [
    'F6',
    'a hidden field of a condition',
    metric("count(Invoice, secret == 'x')"),
    /value: nobody may read 'secret'/,
  ],
  ['F7', 'a format', metric('count(Invoice)', ', format: mony'), /format: there is no format 'mony' .*money/],
  ['R5', 'a view', table('view: alle'), /table\.view: there is no view 'alle' .*all/],
  ['R5', 'a filter', table('view: all, filter: totl > 1'), /table\.filter: .*totl/],
  [
    'R5',
    'a group',
    table('view: all, groupBy: numbr'),
    /table\.groupBy: the view 'all' has no column 'numbr' .*number/,
  ],
  ['R5', 'a group that SQL cannot say', table('view: all, groupBy: text'), /table\.groupBy: .*database/],
  [
    'R5',
    'an interval of a text',
    table('view: all, groupBy: { column: number, interval: day }'),
    /groupBy\.interval: 'number' is no date/,
  ],
  ['R5', 'an interval', table('view: all, groupBy: { column: dueOn, interval: fortnight }'), /groupBy/],
  [
    'R5',
    'a zone',
    table('view: all, groupBy: { column: dueOn, interval: day, timezone: Mars/Base }'),
    /groupBy\.timezone: there is no time zone/,
  ],
  [
    'R5',
    'a total',
    table('view: all, totals: [gros]'),
    /table\.totals\.0: the view 'all' has no column 'gros' .*gross/,
  ],
  ['R5', 'a total of texts', table('view: all, totals: [number]'), /table\.totals\.0: 'sum' takes numbers/],
  [
    'R5',
    'the least of texts',
    table('view: all, totals: { number: min }'),
    /table\.totals\.number: 'min' takes numbers/,
  ],
  [
    'R5',
    'a zone without an interval',
    table('view: all, groupBy: { column: dueOn, timezone: UTC }'),
    /groupBy\.timezone: means nothing/,
  ],
  ['R5', 'no view', table('limit: 1'), /table\.view/],
  [
    'R4',
    'a metric without a label',
    report('sections: [{ metrics: [{ value: count(Invoice) }] }]'),
    /metrics\.0\.label/,
  ],
  ['R4', 'an empty list of metrics', report('sections: [{ metrics: [] }]'), /sections\.0\.metrics/],
  ['R5', 'a total of another kind', table('view: all, totals: { gross: median }'), /table\.totals/],
  ['R5', 'a limit', table('view: all, limit: 5001'), /table\.limit/],
  [
    'F3',
    'the owner',
    report('permissions: [owner], sections: [{ table: { view: all } }]'),
    /r\.permissions\.0/,
  ],
  ['F2', 'a name', '  reports:\n    1r: { sections: [{ table: { view: all } }] }', /1r/],
]

const STORE = STORES[0]!

// What is wrong is found before a store is asked.
describe('the key reports', () => {
  const server = useTestKernel({ store: STORE })
  const submit = async (definition: string) => {
    const { admin: token, request } = server()
    return request('POST', '/api/v1/domains', {
      token,
      body: { content: definition, allow_destructive: true },
    })
  }

  it.each(FAULTS)('%s %s is refused', async (_, __, reports, told) => {
    const { status, body } = await submit(office(VIEWS, reports))
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    const all = body.errors.map(({ path, message, hint, line }: any) => {
      expect(line).toBeGreaterThan(0)
      return `${path.replace('domain.reports.', '')}: ${message} ${hint ?? ''}`
    })
    expect(all.join('\n')).toMatch(told)
  })

  it('R2 a parameter that nothing uses is a warning', async () => {
    const { status, body } = await submit(
      office(
        VIEWS,
        report(
          'parameters: [{ name: p }, { name: used, type: money, optional: true }], sections: [{ table: { view: all, filter: gross > used } }]',
        ),
      ),
    )
    expect(status).toBe(201)
    expect(body.warnings.map(({ message }: any) => message)).toEqual([
      expect.stringMatching(/nothing uses the parameter 'p'/),
    ])
  })

  it('F6 a role that may not read what a filter asks about is a warning', async () => {
    const { status, body } = await submit(
      office(
        VIEWS.replace('columns: [number,', 'columns: [number, note,'),
        report("permissions: [clerk, admin], sections: [{ table: { view: all, filter: note == 'x' } }]"),
      ),
    )
    expect(status).toBe(201)
    expect(body.warnings.map(({ message }: any) => message)).toEqual([
      expect.stringMatching(/reports\.r\.sections\.0\.table\.filter.*'clerk' may not read 'note'/),
    ])
  })

  it('F8 functions of lists and of numbers may stand around aggregates', async () => {
    const values = [
      'sum([count(Invoice), 1])',
      'max(count(Invoice), count(Customer))',
      'round(avg(Invoice.gross))',
    ]
    for (const value of values) {
      const { status, body } = await submit(office(VIEWS, metric(value)))
      expect([value, status, body.warnings ?? []]).toEqual([value, 201, []])
    }
  })

  it('R2 defaults may be expressions about the caller and the clock', async () => {
    const { status, body } = await submit(
      office(
        VIEWS,
        report(
          'parameters: [{ name: who, type: uuid, default: user.id }, { name: from, type: date, default: "startOf(today(), \'month\')" }], permissions: [clerk, admin], sections: [{ table: { view: all, filter: userId == who and dueOn >= from } }]',
        ),
      ),
    )
    expect([status, body.warnings ?? []]).toEqual([201, []])
    const { admin: token, request } = server()
    const answer = await request('GET', '/api/v1/office/reports/r', { token })
    expect(answer.body.data.parameters).toEqual({
      who: expect.stringMatching(/^[0-9a-f-]{36}$/),
      from: `${new Date(server().clock.now()).toISOString().slice(0, 7)}-01`,
    })
  })
})
