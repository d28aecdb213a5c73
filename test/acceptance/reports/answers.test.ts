import { beforeAll, describe, expect, it } from 'vitest'
import { HttpServerCapability } from '@svc/rest/contract'
import { linesOf, pagesOf } from '../../kit/pdf.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { fill, office } from '../views/office.ts'

const VIEWS = `
    all: { source: Invoice, columns: [number, gross, customer.name, status, dueOn, sentAt, { name: doubled, computed: gross * 2 }, { name: noted, computed: note, label: Note }, note], sort: number }
    open: { source: Invoice, filter: status == 'open', columns: [number, gross, net] }
    none: { source: Invoice, filter: number == 'nothing', columns: [number, gross] }
    closed: { source: Ledger, columns: [text] }
    wide: { source: Invoice, columns: [number, gross, customer.name, status, dueOn, sentAt, label] }
    three: { source: Invoice, columns: [number, gross, status], sort: number }
`
const REPORTS = `
  reports:
    money:
      label: { en: Money, de: Geld }
      description: All of it
      permissions: [clerk, auditor, admin]
      header: 'From {minimum | money} on, {who}'
      footer: { en: That is all, de: Das ist alles }
      parameters:
        - { name: minimum, type: money, default: 0, label: At least }
        - { name: who, enum: [all, some], default: all }
        - { name: since, type: date, default: "startOf(today(), 'year')" }
        - { name: kind, type: string, enum: Status, optional: true }
      sections:
        - title: Figures
          metrics:
            - { label: All, value: count(Invoice) }
            - { label: { en: Sum, de: Summe }, value: sum(Invoice.gross) }
            - { label: Open share, value: "sum(Invoice.gross, status == 'open') / sum(Invoice.gross) * 100", format: percentage }
            - { label: From, value: "count(Invoice, gross >= minimum and (kind == null or status == kind))" }
            - { label: Customers, value: countDistinct(Invoice.customerId) }
            - { label: Mean, value: avg(Invoice.gross) }
            - { label: Last, value: max(Invoice.dueOn) }
            - { label: First sent, value: "min(Invoice.sentAt)" }
            - { label: Open net, value: sum(open.net) }
            - { label: Nothing, value: "avg(none.gross)" }
            - { label: None, value: "sum(none.gross) + count(none)", format: integer }
            - { label: Noted, value: count(Invoice.note) }
            - { label: Known, value: "count(Customer, rating > 1)" }
        - title: Everything
          table: { view: all, totals: { gross: sum, number: count, doubled: max, note: count }, filter: "isNull(gross) or gross >= minimum" }
        - title: By customer
          table: { view: all, groupBy: customer.name, totals: [gross], limit: 3 }
        - title: Nothing
          table: { view: none, totals: [gross], emptyMessage: { en: Nothing there, de: Nichts da } }
    byDate:
      permissions: [clerk]
      sections:
        - table: { view: all, groupBy: { column: dueOn, interval: quarter }, totals: { gross: avg }, limit: 0 }
        - table: { view: all, groupBy: { column: sentAt, interval: hour, timezone: Europe/London } }
        - table: { view: three, groupBy: status }
        - table: { view: all, groupBy: doubled }
        - { title: Notes, table: { view: all, groupBy: note } }
    closed: { permissions: ['*'], sections: [{ title: Shut, table: { view: closed } }, { metrics: [{ label: x, value: count(closed) }] }] }
    wide: { permissions: [clerk], sections: [{ title: Wide, table: { view: wide } }] }
    steps: { permissions: [clerk], parameters: [{ name: least, type: decimal, enum: ['1.50', '2'] }], sections: [{ metrics: [{ label: x, value: "count(Invoice, gross > least)" }] }] }
    must: { permissions: [clerk], parameters: [{ name: day, type: date }], sections: [{ metrics: [{ label: x, value: "count(Invoice, dueOn > day)" }] }] }
`

for (const store of STORES) {
  describe(`reports on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: office(VIEWS, REPORTS) })
    const tokens: Record<string, string> = {}
    beforeAll(async () => {
      for (const role of ['clerk', 'auditor']) tokens[role] = (await server().account(role, [role])).token
      tokens['admin'] = server().admin
      await fill(server())
    })
    const read = async (path: string, who = 'clerk', headers: Record<string, string> = {}) => {
      const token = tokens[who]
      return server().request('GET', `/api/v1/office/reports/${path}`, {
        ...(token !== undefined && { token }),
        headers,
      })
    }

    const file = (path: string): Promise<Response> => {
      const http = server().kernel.get(HttpServerCapability)
      const headers = { authorization: `Bearer ${tokens['clerk']}` }
      return http.fetch(new Request(new URL(`/api/v1/office/reports/${path}`, http.url()), { headers }))
    }

    it('R6 answers its texts, parameters and sections', async () => {
      const { status, body } = await read('money?minimum=80')
      expect(status).toBe(200)
      const { sections, ...facts } = body.data
      expect(facts).toEqual({
        report: 'money',
        label: 'Money',
        description: 'All of it',
        generatedAt: new Date(server().clock.now()).toISOString(),
        parameters: {
          minimum: 80,
          who: 'all',
          since: `${new Date(server().clock.now()).getUTCFullYear()}-01-01`,
          kind: null,
        },
        header: 'From £80.00 on, all',
        footer: 'That is all',
      })
      expect(sections.map(({ type, title }: any) => [type, title])).toEqual([
        ['metrics', 'Figures'],
        ['table', 'Everything'],
        ['table', 'By customer'],
        ['table', 'Nothing'],
      ])
    })

    it('R4 F8 F9 metrics are expressions of aggregates, null and 0 over nothing', async () => {
      const { body } = await read('money?minimum=80&kind=open')
      const figures = Object.fromEntries(
        body.data.sections[0].metrics.map(({ label, value, text }: any) => [label, [value, text]]),
      )
      expect(figures).toEqual({
        All: [5, '5'],
        Sum: [1409.75, '£1,409.75'],
        'Open share': [(1334.75 / 1409.75) * 100, '94.68%'],
        From: [2, '2'],
        Customers: [2, '2'],
        Mean: [352.4375, '£352.44'],
        Last: ['2027-01-02', '2027-01-02'],
        'First sent': ['2026-07-01T12:30:00.000Z', '2026-07-01 13:30'],
        'Open net': [1067.8, '1,067.80'],
        Nothing: [null, ''],
        None: [0, '0'],
        Noted: [null, ''],
        Known: [1, '1'],
      })
    })

    it('F5 R4 what the caller may not read is forbidden, and the rest is answered', async () => {
      const { body } = await read('money')
      const noted = body.data.sections[0].metrics.find(({ label }: any) => label === 'Noted')
      expect(noted).toEqual({ label: 'Noted', value: null, format: 'integer', text: '', forbidden: true })
      const admin = await read('money', 'admin')
      expect(admin.body.data.sections[0].metrics.find(({ label }: any) => label === 'Noted')).toMatchObject({
        value: 2,
      })
      expect(Object.keys(body.data.sections[1].totals)).toEqual(['gross', 'number', 'doubled'])
      expect(Object.keys(admin.body.data.sections[1].totals)).toEqual(['gross', 'number', 'doubled', 'note'])
      const auditor = (await read('money', 'auditor')).body.data.sections
      // An auditor may list, and none of the records is its own.
      expect(auditor[0].metrics.flatMap(({ label, forbidden }: any) => (forbidden ? label : []))).toEqual([
        'Last',
        'Noted',
        'Known',
      ])
      expect(auditor[0].metrics[0]).toMatchObject({ label: 'All', value: 0, text: '0' })
      const anybody = (await read('closed', 'auditor')).body.data.sections
      expect(anybody).toEqual([
        { type: 'table', title: 'Shut', view: 'closed', forbidden: true },
        {
          type: 'metrics',
          title: null,
          metrics: [{ label: 'x', value: null, format: 'integer', text: '', forbidden: true }],
        },
      ])
    })

    it('R5 R6 tables have rows and totals of all rows', async () => {
      const { sections } = (await read('money?minimum=90')).body.data
      expect(sections[1].items.map(({ number }: any) => number)).toEqual(['I1', 'I4', 'I5'])
      expect(sections[1]).toMatchObject({
        view: 'all',
        count: 3,
        totalCount: 3,
        totals: { gross: 1334.75, number: 3, doubled: 2469 },
        truncated: false,
      })
      expect(sections[3]).toMatchObject({
        items: [],
        totalCount: 0,
        totals: { gross: 0 },
        emptyMessage: 'Nothing there',
        truncated: false,
      })
      expect((await read('money', 'clerk', { 'accept-language': 'de' })).body.data.sections).toHaveLength(4)
    })

    it('R5 groups come ascending, null first, and the limit counts all rows', async () => {
      const table = (await read('money')).body.data.sections[2]
      expect(
        table.groups.map(({ value, label, count, totals, items }: any) => [
          value,
          label,
          count,
          totals.gross,
          items.map((one: any) => one.number),
        ]),
      ).toEqual([
        [null, '', 1, 0, ['I4']],
        ['=Bob, Ltd', '=Bob, Ltd', 2, 180.25, ['I2', 'I5']],
        ['Ada', 'Ada', 2, 1229.5, []],
      ])
      expect(table).toMatchObject({ count: 3, totalCount: 5, totals: { gross: 1409.75 }, truncated: true })
      expect(table.items).toBeUndefined()
    })

    it('R5 D3 groups by interval, by status and by formula', async () => {
      const [quarters, hours, states, doubled, noted] = (await read('byDate')).body.data.sections
      expect(quarters.groups.map(({ value, count, totals }: any) => [value, count, totals.gross])).toEqual([
        [null, 2, -5],
        ['2026-01-01', 1, 80],
        ['2026-10-01', 1, 1234.5],
        ['2027-01-01', 1, 100.25],
      ])
      expect(quarters).toMatchObject({ count: 0, totalCount: 5, truncated: true })
      expect(hours.groups.map(({ value }: any) => value)).toEqual([null, '2026-07-01T13:00+01:00'])
      expect(states.groups.map(({ value, label }: any) => [value, label])).toEqual([
        ['lost', 'lost'],
        ['open', 'Still open'],
        ['paid', 'Paid'],
      ])
      expect(states.groups[1].items.map(({ number }: any) => number)).toEqual(['I1', 'I4', 'I5'])
      expect(doubled.groups.map(({ value }: any) => value)).toEqual([null, -10, 160, 200.5, 2469])
      expect(noted).toMatchObject({ forbidden: true })
    })

    it('R7 CSV has sections in order, an empty line between, and totals last', async () => {
      const { headers, body } = await read('money?format=csv')
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
      const sections = body.split('\r\n\r\n')
      expect(sections).toHaveLength(4)
      expect(sections[0].split('\r\n').slice(0, 3)).toEqual([
        'All,5',
        'Sum,1409.75',
        expect.stringMatching(/^Open share,94\.6/),
      ])
      expect(sections[1].split('\r\n')).toEqual(
        [
          'number,Amount,Customer,status,dueOn,sentAt,doubled,Note',
          'I1,1234.5,Ada,open,2026-11-21,2026-07-01T12:30:00.000Z,2469,',
          'I2,80,"\'=Bob, Ltd",paid,2026-01-02,,160,',
          'I4,,,open,,,,',
          'I5,100.25,"\'=Bob, Ltd",open,2027-01-02,,200.5,',
          '4,1414.75,,,,,2469,',
        ].map((line) => line.replace('number,Amount', 'Invoice,Amount')),
      )
      expect(sections[2].split('\r\n').slice(0, 3)).toEqual([
        'Customer,Invoice,Amount,status,dueOn,sentAt,doubled,Note',
        ',I4,,open,,,,',
        '"\'=Bob, Ltd",I2,80,paid,2026-01-02,,160,',
      ])
      const one = await read('money?format=csv&section=4')
      expect(one.body.split('\r\n').slice(0, 2)).toEqual(['Invoice,Amount', ',0'])
      for (const section of ['0', '5', 'x', '1.5'])
        expect([section, (await read(`money?format=csv&section=${section}`)).status]).toEqual([section, 400])
      expect((await read('byDate?format=csv&section=5')).body).toBe('Notes\r\n')
    })

    it('R3 parameters are read as filters are, and what cannot be read is refused by name', async () => {
      for (const query of [
        'minimum=much',
        'since=2026-02-30',
        'who=nobody',
        'kind=gone',
        'minimum=1e999',
        'format=xml',
      ]) {
        const { status, body } = await read(`money?${query}`)
        expect([query, status, body.error_code]).toEqual([query, 400, 'INVALID_QUERY'])
        expect(body.error_message).toContain(query.split('=')[0])
      }
      expect((await read('must')).body.error_message).toContain("'day' is missing")
      expect((await read('must?day=2026-06-01')).body.data.sections[0].metrics[0].value).toBe(2)
      // Values are compared as what they are, not as they are written.
      for (const [least, status] of [
        ['1.5', 200],
        ['2.0', 200],
        ['1', 400],
      ])
        expect([least, (await read(`steps?least=${least}`)).status]).toEqual([least, status])
      const { body } = await read('money?colour=red')
      expect(body.warnings.map(({ message }: any) => message)).toEqual([
        "'colour' in 'query' is not known here: it was ignored",
      ])
    })

    it('F2 F3 unknown reports are not there, and permissions let in', async () => {
      expect((await read('nothing')).body.error_code).toBe('NOT_FOUND')
      expect((await read('byDate', 'auditor')).status).toBe(403)
      expect((await read('byDate', 'nobody')).status).toBe(401)
    })

    it('R8 PDF is an attachment, the same for the same data and time', async () => {
      const { clock } = server()
      const answer = await file('money?format=pdf')
      const day = new Date(clock.now()).toISOString().slice(0, 10)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/pdf')
      expect(answer.headers.get('content-disposition')).toContain(`attachment; filename="money-${day}.pdf"`)
      const bytes = new Uint8Array(await answer.arrayBuffer())
      expect(new Uint8Array(await (await file('money?format=pdf')).arrayBuffer())).toEqual(bytes)
      const text = (await linesOf(bytes)).join(' ')
      for (const shown of [
        'Money',
        'From £0.00 on, all',
        'At least: £0.00',
        'Figures',
        '£1,409.75',
        'Everything',
        'By customer',
        '=Bob, Ltd (2)',
        'That is all',
        'Nothing there',
        '… 2 more',
        '1 / ',
      ])
        expect(text).toContain(shown)
      const chosen = new Uint8Array(await (await file('money?format=pdf&kind=open')).arrayBuffer())
      expect((await linesOf(chosen)).join(' ')).toContain('kind: Still open')
    })

    it('R8 a wide table lies on its side', async () => {
      const [page] = await pagesOf(new Uint8Array(await (await file('wide?format=pdf')).arrayBuffer()))
      expect([page!.width, page!.height]).toEqual([842, 595])
      expect(page!.text).toContain('Wide')
      const [narrow] = await pagesOf(
        new Uint8Array(await (await file('must?format=pdf&day=2026-01-01')).arrayBuffer()),
      )
      expect([narrow!.width, narrow!.height]).toEqual([595, 842])
    })

    it('F2 the schema endpoint and the OpenAPI document tell of it', async () => {
      const { body } = await server().request('GET', '/api/v1/domains/office/schema', {
        token: tokens['admin']!,
      })
      expect(body.data.reports.money).toMatchObject({
        label: 'Money',
        permissions: ['clerk', 'auditor', 'admin'],
        parameters: [
          { name: 'minimum', type: 'money', label: 'At least', optional: true },
          { name: 'who', type: 'string', enum: ['all', 'some'] },
          { name: 'since' },
          { name: 'kind', enum: ['open', 'paid', 'lost'] },
        ],
      })
      const document = (await server().request('GET', '/api/v1/domains/office/openapi.json', {})).body
      const operation = document.paths['/api/v1/office/reports/money'].get
      expect(operation.parameters.map(({ name }: any) => name)).toEqual(
        expect.arrayContaining(['format', 'section', 'minimum', 'kind']),
      )
    })
  })
}
