import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { office as plain } from '../views/office.ts'

const VIEWS = '    all: { source: Invoice, columns: [number, gross, dueOn] }'
const JOBS = `
  resources:
    Job: { object: { title: string }, history: { events: { made: { on: create, label: Made } } } }`
const office = (views: string, more: string) => plain(views, more).replace('\n  resources:', JOBS)
const board = (widget: string, more = '') => `  dashboards:\n    d: { ${more}widgets: { w: { ${widget} } } }`
const counter = (query: string, more = '') => board(`type: counter, query: { ${query} }${more}`)
const NAMES = Array.from({ length: 51 }, (_, at) => `w${at}: { type: counter, query: count(Invoice) }`)

const FAULTS: readonly (readonly [ruling: string, what: string, dashboards: string, told: RegExp])[] = [
  ['D1', 'no widgets', '  dashboards:\n    d: { label: x }', /d\.widgets/],
  ['D1', 'an empty map of widgets', '  dashboards:\n    d: { widgets: {} }', /d\.widgets/],
  ['D1', '51 widgets', `  dashboards:\n    d: { widgets: { ${NAMES.join(', ')} } }`, /d\.widgets/],
  ['D1', 'no type', board('query: count(Invoice)'), /w\.type/],
  ['D1', 'no query', board('type: counter'), /w\.query/],
  ['D1', 'a type', board('type: donut, query: count(Invoice)'), /w\.type/],
  [
    'D1',
    'a refresh that is too long',
    board('type: counter, query: count(Invoice)', 'refresh: 25h, '),
    /d\.refresh: .*out of bounds/,
  ],
  [
    'D1',
    'a refresh that is none',
    board('type: counter, query: count(Invoice)', 'refresh: soon, '),
    /d\.refresh: .*no duration/,
  ],
  [
    'D1',
    'columns',
    board('type: counter, query: count(Invoice)', 'layout: { columns: 25 }, '),
    /d\.layout\.columns/,
  ],
  [
    'D1',
    'a position beyond the columns',
    board('type: counter, query: count(Invoice), position: { row: 1, column: 12, width: 2 }'),
    /w\.position: reaches beyond column 12/,
  ],
  [
    'D2',
    'a source',
    counter('source: Invoce'),
    /query\.source: there is no resource or view 'Invoce' .*Invoice/,
  ],
  ['D2', 'no source', counter('aggregate: count'), /query\.source: is missing/],
  [
    'D2',
    'a key of another type',
    counter('source: Invoice, groupBy: status'),
    /query\.groupBy: means nothing for a counter/,
  ],
  ['D2', 'an aggregate', counter('source: Invoice, aggregate: median'), /query/],
  [
    'D2',
    'an aggregate without a field',
    counter('source: Invoice, aggregate: sum'),
    /query\.field: is missing/,
  ],
  [
    'D2',
    'a sum of texts',
    counter('source: Invoice, aggregate: sum, field: number'),
    /query\.aggregate: 'sum' takes numbers/,
  ],
  [
    'D2',
    'a field',
    counter('source: Invoice, aggregate: sum, field: gros'),
    /query\.field: 'Invoice' has no field 'gros' .*gross/,
  ],
  ['D2', 'a filter', counter('source: Invoice, filter: totl > 1'), /query\.filter: .*totl/],
  ['D2', 'a scope', counter('source: Invoice, scope: larg'), /query\.scope: .*large/],
  [
    'D2',
    'a figure',
    board('type: counter, query: count(Invoce)'),
    /w\.query: there is no resource or view 'Invoce'/,
  ],
  [
    'D2',
    'a text for a breakdown',
    board('type: breakdown, query: count(Invoice)'),
    /w\.query: of a breakdown is a map/,
  ],
  ['D2', 'a gauge without an end', board('type: gauge, query: count(Invoice)'), /w\.max: is missing/],
  [
    'D2',
    'a breakdown of nothing',
    board('type: breakdown, query: { source: Invoice }'),
    /query\.groupBy: is missing/,
  ],
  [
    'D2',
    'an order of groups',
    board('type: breakdown, query: { source: Invoice, groupBy: status, sort: size }'),
    /query\.sort: is no order/,
  ],
  [
    'D2',
    'a limit of groups',
    board('type: breakdown, query: { source: Invoice, groupBy: status, limit: 1001 }'),
    /query/,
  ],
  [
    'D2',
    'a series without an interval',
    board('type: timeSeries, query: { source: Invoice, dateField: dueOn }'),
    /query\.interval: is missing/,
  ],
  [
    'D2',
    'a series without a date',
    board('type: timeSeries, query: { source: Invoice, interval: day }'),
    /query\.dateField: is missing/,
  ],
  [
    'D2',
    'a series over a text',
    board('type: timeSeries, query: { source: Invoice, interval: day, dateField: number }'),
    /query\.dateField: 'number' is no stored date/,
  ],
  [
    'D3',
    'a zone',
    board(
      'type: timeSeries, query: { source: Invoice, interval: day, dateField: dueOn, timezone: Mars/Base }',
    ),
    /query\.timezone: there is no time zone/,
  ],
  [
    'D2',
    'too many intervals',
    board('type: timeSeries, query: { source: Invoice, interval: day, dateField: dueOn, last: 1001 }'),
    /query/,
  ],
  ['D2', 'a view', board('type: table, query: { view: alle }'), /query\.view: there is no view 'alle' .*all/],
  [
    'D2',
    'too many rows',
    board('type: table, query: { view: all, limit: 101 }'),
    /query\.limit: must be at most 100/,
  ],
  [
    'D2',
    'a timeline without history',
    board('type: timeline, query: { source: Invoice }'),
    /query\.source: 'Invoice' has no history/,
  ],
  [
    'D5',
    'thresholds that neither rise nor fall',
    counter('source: Invoice', ', thresholds: { a: 1, b: 3, c: 2 }'),
    /w\.thresholds: neither rise nor fall/,
  ],
  [
    'D5',
    'a threshold called by a number',
    counter('source: Invoice', ", thresholds: { '2': 1, '1': 2 }"),
    /w\.thresholds\.2: '2' is no name/,
  ],
  [
    'D1',
    'a gauge that ends where it begins',
    board('type: gauge, query: count(Invoice), min: 5, max: 5'),
    /w\.max: is 5, and the gauge begins at 5/,
  ],
  [
    'F6',
    'an order by a hidden field',
    board('type: table, query: { view: all, sort: secret }'),
    /query\.sort: nobody may read 'secret'/,
  ],
  [
    'D2',
    'an event that there is not',
    board('type: timeline, query: { source: Job, events: [mde] }'),
    /query\.events\.0: 'Job' has no event 'mde' .*made/,
  ],
  [
    'D1',
    'a row of nothing',
    board('type: counter, query: count(Invoice), position: { row: 0, column: 1 }'),
    /w\.position\.row/,
  ],
  [
    'D1',
    'a refresh without a unit',
    board('type: counter, query: count(Invoice)', 'refresh: 5, '),
    /d\.refresh/,
  ],
  [
    'D2',
    'no intervals',
    board('type: timeSeries, query: { source: Invoice, interval: day, dateField: dueOn, last: 0 }'),
    /query\.last/,
  ],
  [
    'D5',
    'a threshold',
    counter('source: Invoice', ", thresholds: { a: 'about 3' }"),
    /w\.thresholds\.a: 'about 3' is no level/,
  ],
  [
    'D5',
    'a target',
    counter('source: Invoice', ', target: count(Invoce)'),
    /w\.target: there is no resource or view/,
  ],
  ['D5', 'a colour', counter('source: Invoice', ', colorMap: { a: red }'), /w\.colorMap/],
  [
    'D2',
    'thresholds of a table',
    board('type: table, query: { view: all }, thresholds: { a: 1 }'),
    /w\.thresholds: means nothing for a table/,
  ],
  [
    'F6',
    'a hidden field',
    counter('source: Invoice, field: secret'),
    /query\.field: nobody may read 'secret'/,
  ],
  ['F7', 'a format', counter('source: Invoice', ', format: mony'), /w\.format: there is no format 'mony'/],
  [
    'F3',
    'the owner',
    board('type: counter, query: count(Invoice)', 'permissions: [owner], '),
    /d\.permissions\.0/,
  ],
  [
    'F2',
    'a name of a widget',
    '  dashboards:\n    d: { widgets: { 1w: { type: counter, query: count(Invoice) } } }',
    /1w/,
  ],
]

// What is wrong is found before a store is asked.
describe('the key dashboards', () => {
  const server = useTestKernel({ store: STORES[0]! })
  const submit = async (definition: string) => {
    const { admin: token, request } = server()
    return request('POST', '/api/v1/domains', {
      token,
      body: { content: definition, allow_destructive: true },
    })
  }

  it.each(FAULTS)('%s %s is refused', async (_, __, dashboards, told) => {
    const { status, body } = await submit(office(VIEWS, dashboards))
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    const all = body.errors.map(({ path, message, hint, line }: any) => {
      expect(line).toBeGreaterThan(0)
      return `${path.replace('domain.dashboards.', '')}: ${message} ${hint ?? ''}`
    })
    expect(all.join('\n')).toMatch(told)
  })

  it('F6 a role that may not read what a filter asks about is a warning', async () => {
    const { status, body } = await submit(
      office(
        VIEWS,
        board(
          "type: counter, query: { source: Invoice, filter: note == 'x' }",
          'permissions: [clerk, admin], ',
        ),
      ),
    )
    expect([status, body.warnings.map(({ message }: any) => message)]).toEqual([
      201,
      [expect.stringMatching(/widgets\.w\.query\.filter.*'clerk' may not read 'note'/)],
    ])
  })

  it('D1 widgets that lie one over the other are a warning', async () => {
    const at = 'type: counter, query: count(Invoice), position: { row: 1, column: 1, width: 2 }'
    const { status, body } = await submit(
      office(VIEWS, `  dashboards:\n    d: { widgets: { a: { ${at} }, b: { ${at} } } }`),
    )
    expect([status, body.warnings.map(({ message }: any) => message)]).toEqual([
      201,
      [expect.stringMatching(/lies over 'a'/)],
    ])
  })
})
