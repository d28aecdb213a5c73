import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { fill, type Ids, office } from '../views/office.ts'

const VIEWS = `
    open: { source: Invoice, filter: status == 'open', columns: [number, gross, customer.name, { field: status, highlight: gross > 1000 }], sort: number }`
const DASHBOARDS = `
  dashboards:
    desk:
      label: { en: Desk, de: Tisch }
      permissions: [clerk, auditor, admin]
      layout: { columns: 3 }
      widgets:
        all: { type: counter, query: { source: Invoice }, label: All invoices, position: { row: 1, column: 1 }, thresholds: { few: 1, many: 5, crowd: 50 }, colorMap: { many: '#112233' } }
        open: { type: scorecard, query: { source: open, aggregate: sum, field: gross }, target: count(Invoice) * 100, thresholds: { high: '> 1000', low: '<= 1000' } }
        share: { type: counter, query: "count(Invoice, status == 'paid') / count(Invoice) * 100", format: percentage(0) }
        left: { type: gauge, query: { source: Invoice, filter: gross > 0, aggregate: countDistinct, field: customerId }, thresholds: { good: 9, fair: 4, bad: 1 } }
        full: { type: gauge, query: { source: Invoice, scope: large }, target: 4, min: 1 }
        byStatus: { type: breakdown, query: { source: Invoice, groupBy: status }, colorMap: { paid: '#00FF00' } }
        byCustomer: { type: breakdown, query: { source: Invoice, groupBy: customer.name, aggregate: sum, field: gross, sort: key asc, limit: 2 } }
        notes: { type: counter, query: { source: Invoice, filter: note == 'n1' } }
        ledger: { type: breakdown, query: { source: Ledger, groupBy: text } }
        rows: { type: table, query: { view: open, filter: gross > 1, sort: gross desc, limit: 1 } }
        none: { type: counter, query: { source: Invoice, filter: number == 'nothing', aggregate: avg, field: gross }, thresholds: { any: 0 } }
    times:
      permissions: [clerk]
      widgets:
        months: { type: timeSeries, query: { source: Invoice, interval: month, dateField: dueOn, last: 3, aggregate: sum, field: gross } }
        quarters: { type: timeSeries, query: { source: Invoice, interval: quarter, dateField: dueOn, last: 5, aggregate: max, field: gross } }
        hours: { type: timeSeries, query: { source: Invoice, interval: hour, dateField: sentAt, last: 2, timezone: Asia/Kathmandu } }
        days: { type: timeSeries, query: { source: Invoice, interval: day, dateField: sentAt } }
    kept:
      permissions: [clerk, admin]
      refresh: 2m
      widgets:
        all: { type: counter, query: { source: Customer } }
        noted: { type: counter, query: { source: Customer, field: phone } }
    own:
      permissions: [clerk]
      refresh: 1m
      widgets:
        mine: { type: counter, query: { source: Invoice, filter: userId == user.id } }
    past:
      permissions: [clerk, auditor]
      widgets:
        latest: { type: timeline, query: { source: Job, limit: 2 } }
        done: { type: timeline, query: { source: Job, events: [done] } }
`
const JOBS = `
  resources:
    Job:
      object: { title: string }
      permissions: { list: [clerk], get: [clerk], create: [admin], update: [admin] }
      history: { events: { made: { on: create, label: 'Made {title}', capture: [title] }, done: { on: fieldChange, field: title, label: Done } } }`

const definition = office(VIEWS, DASHBOARDS).replace('\n  resources:', JOBS)

for (const store of STORES) {
  describe(`dashboards on ${store.name}`, () => {
    const server = useTestKernel({ store, definition })
    const tokens: Record<string, string> = {}
    let ids: Ids = {}
    beforeAll(async () => {
      for (const role of ['clerk', 'auditor']) tokens[role] = (await server().account(role, [role])).token
      tokens['clara'] = (await server().account('clara', ['clerk'])).token
      tokens['admin'] = server().admin
      ids = await fill(server())
    })
    const read = async (path: string, who = 'clerk', headers: Record<string, string> = {}) => {
      const token = tokens[who]
      return server().request('GET', `/api/v1/office/dashboards/${path}`, {
        ...(token !== undefined && { token }),
        headers,
      })
    }
    const widgets = async (path: string, who?: string) => (await read(path, who)).body.data.widgets
    const create = async (path: string, body: object) =>
      (await server().request('POST', `/api/v1/office/${path}`, { token: server().admin, body })).body.data.id

    it('D2 D5 counters, scorecards and gauges have a value, a text and the last level that holds', async () => {
      const found = await widgets('desk')
      expect(found.all).toEqual({
        type: 'counter',
        label: 'All invoices',
        format: 'integer',
        value: 5,
        text: '5',
        threshold: 'many',
        target: null,
        color: '#112233',
      })
      expect(found.open).toEqual({
        type: 'scorecard',
        label: 'open',
        format: 'money',
        value: 1334.75,
        text: '£1,334.75',
        threshold: 'high',
        target: 500,
        color: null,
      })
      expect(found.share).toMatchObject({ value: 20, text: '20%', threshold: null })
      expect(found.left).toMatchObject({ type: 'gauge', value: 2, threshold: 'fair', min: 0, max: 9 })
      expect(found.full).toMatchObject({ value: 2, target: 4, min: 1, max: 4 })
      expect(found.none).toMatchObject({ value: null, text: '', threshold: null })
    })

    it('D4 breakdowns list groups by value, with labels and colours', async () => {
      const { byStatus, byCustomer } = await widgets('desk')
      expect(byStatus).toEqual({
        type: 'breakdown',
        label: 'byStatus',
        format: 'integer',
        groups: [
          { key: 'open', label: 'Still open', value: 3, color: '#AA0000' },
          { key: 'lost', label: 'lost', value: 1, color: null },
          { key: 'paid', label: 'Paid', value: 1, color: '#00FF00' },
        ],
        truncated: false,
      })
      expect(byCustomer).toMatchObject({
        groups: [
          { key: null, label: '', value: 0 },
          { key: '=Bob, Ltd', label: '=Bob, Ltd', value: 180.25 },
        ],
        truncated: true,
      })
    })

    it('D2 tables have the columns and items of a view', async () => {
      const { rows } = await widgets('desk')
      expect(rows).toMatchObject({
        columns: [
          { name: 'number' },
          { name: 'gross', format: 'money' },
          { name: 'customer.name' },
          { name: 'status' },
        ],
        items: [
          {
            id: ids['I1'],
            number: 'I1',
            gross: 1234.5,
            'customer.name': 'Ada',
            _highlights: { status: 'warning' },
          },
        ],
        count: 1,
      })
    })

    it('F5 what the caller may not read is forbidden, and the rest is answered', async () => {
      const clerk = await widgets('desk')
      expect(clerk.notes).toEqual({
        type: 'counter',
        label: 'notes',
        format: 'integer',
        value: null,
        forbidden: true,
      })
      expect(clerk.ledger).toEqual({ type: 'breakdown', label: 'ledger', format: 'integer', forbidden: true })
      const admin = await widgets('desk', 'admin')
      expect([admin.notes.value, admin.ledger.groups]).toEqual([1, []])
    })

    it('D6 widgets come in the order declared, each address has one of its own', async () => {
      const { body } = await read('desk')
      expect(body.data.dashboard).toBe('desk')
      expect(Object.keys(body.data.widgets)).toEqual([
        'all',
        'open',
        'share',
        'left',
        'full',
        'byStatus',
        'byCustomer',
        'notes',
        'ledger',
        'rows',
        'none',
      ])
      expect((await read('nothing')).status).toBe(404)
      expect((await read('times', 'auditor')).status).toBe(403)
      expect((await read('times', 'nobody')).status).toBe(401)
    })

    it('D7 a widget alone is out of the same, and 403 where it is forbidden', async () => {
      const { status, body } = await read('desk/widgets/all')
      expect([status, body.data]).toEqual([
        200,
        {
          dashboard: 'desk',
          widget: 'all',
          computedAt: new Date(server().clock.now()).toISOString(),
          type: 'counter',
          label: 'All invoices',
          format: 'integer',
          value: 5,
          text: '5',
          threshold: 'many',
          target: null,
          color: '#112233',
        },
      ])
      expect((await read('desk/widgets/notes')).body.error_code).toBe('FORBIDDEN')
      expect((await read('desk/widgets/nothing')).body.error_code).toBe('NOT_FOUND')
    })

    it('D6 an answer is kept within refresh, for whom it would look the same, and writes do not end it', async () => {
      const { clock } = server()
      const first = (await read('kept')).body.data
      clock.advance(1000)
      await create('customers', { name: 'Cleo', phone: '+44 20 7946 0001' })
      const again = (await read('kept', 'clara')).body.data
      expect(again).toEqual(first)
      expect((await read('kept/widgets/all')).body.data).toMatchObject({
        computedAt: first.computedAt,
        value: first.widgets.all.value,
      })
      const admin = (await read('kept', 'admin')).body.data
      expect(admin.widgets.noted.value).toBe(2)
      expect(admin.computedAt).not.toBe(first.computedAt)
      expect(first.widgets.noted.forbidden).toBe(true)
      clock.advance(2 * 60_000)
      const later = (await read('kept')).body.data
      expect(later.widgets.all.value).toBe(first.widgets.all.value + 1)
    })

    it('D6 who is asked for by name gets an answer of their own', async () => {
      const clara = (await read('own', 'clara')).body.data
      const clerk = (await read('own', 'clerk')).body.data
      expect([clara.widgets.mine.value, clerk.widgets.mine.value]).toEqual([0, 0])
      server().clock.advance(1000)
      expect((await read('own', 'clara')).body.data.computedAt).toBe(clara.computedAt)
      const { body } = await server().request('GET', '/api/v1/auth/me', { token: tokens['clara']! })
      await server().request('PATCH', `/api/v1/office/invoices/${ids['I3']}`, {
        token: server().admin,
        body: { userId: body.data.id },
      })
      expect((await read('own', 'clara')).body.data.widgets.mine.value).toBe(0)
      server().clock.advance(60_000)
      expect((await read('own', 'clara')).body.data.widgets.mine.value).toBe(1)
      expect((await read('own', 'clerk')).body.data.widgets.mine.value).toBe(0)
    })

    it('D2 timelines have the entries of the history for the caller', async () => {
      const job = await create('jobs', { title: 'a' })
      server().clock.advance(1000)
      await create('jobs', { title: 'b' })
      server().clock.advance(1000)
      await server().request('PATCH', `/api/v1/office/jobs/${job}`, {
        token: server().admin,
        body: { title: 'c' },
      })
      const { latest, done } = await widgets('past')
      expect(latest.items.map(({ label }: any) => label)).toEqual(['Done', 'Made b'])
      expect(done.items.map(({ event, recordId }: any) => [event, recordId])).toEqual([['done', job]])
      expect((await widgets('past', 'auditor')).latest).toMatchObject({ forbidden: true })
    })

    it('F2 the schema endpoint and the OpenAPI document tell of it', async () => {
      const { body } = await server().request('GET', '/api/v1/domains/office/schema', {
        token: tokens['admin']!,
      })
      expect(body.data.dashboards.desk).toMatchObject({
        label: 'Desk',
        permissions: ['clerk', 'auditor', 'admin'],
        layout: { columns: 3, widgets: { all: { position: { row: 1, column: 1 } } } },
        widgets: { share: { type: 'counter', label: 'share', format: 'percentage(0)' } },
      })
      const document = (await server().request('GET', '/api/v1/domains/office/openapi.json', {})).body
      expect(document.paths['/api/v1/office/dashboards/desk'].get).toBeDefined()
      expect(document.paths['/api/v1/office/dashboards/desk/widgets/{widget}'].get).toBeDefined()
    })
  })
  describe(`series on ${store.name}`, () => {
    const server = useTestKernel({ store, definition })
    const at = async (moment: string, name: string) => {
      const { clock, account, request } = server()
      clock.advance(Date.parse(moment) - clock.now())
      const { token } = await account(name, ['clerk'])
      return (await request('GET', '/api/v1/office/dashboards/times', { token })).body.data.widgets
    }

    it('D3 a series has exactly so many groups, the last of them now', async () => {
      await fill(server())
      const july = await at('2026-07-01T13:29:00Z', 'julia')
      const pairs = ({ groups }: any) => groups.map(({ key, value }: any) => [key, value])
      expect(pairs(july.hours)).toEqual([
        ['2026-07-01T18:00+05:45', 1],
        ['2026-07-01T19:00+05:45', 0],
      ])
      const found = await at('2026-11-21T14:30:00Z', 'nora')
      expect(found.months.groups).toEqual([
        { key: '2026-09-01', label: 'Sep 2026', value: 0 },
        { key: '2026-10-01', label: 'Oct 2026', value: 0 },
        { key: '2026-11-01', label: 'Nov 2026', value: 1234.5 },
      ])
      expect(pairs(found.quarters)).toEqual([
        ['2025-10-01', null],
        ['2026-01-01', 80],
        ['2026-04-01', null],
        ['2026-07-01', null],
        ['2026-10-01', 1234.5],
      ])
      expect(pairs(found.hours)).toEqual([
        ['2026-11-21T19:00+05:45', 0],
        ['2026-11-21T20:00+05:45', 0],
      ])
      expect(found.days.groups).toHaveLength(30)
      expect([found.days.groups[0].key, found.days.groups[29].key]).toEqual(['2026-10-23', '2026-11-21'])
    })
  })
}
