import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { fill, type Ids, office } from './office.ts'

const VIEWS = `
    board:
      source: Invoice
      label: { en: Invoices, de: Rechnungen }
      description: All that was sent
      permissions: [clerk, customer, auditor, admin]
      columns:
        - { field: number, highlight: { error: gross < 0, warning: gross > 1000, info: "customer.rating == 1" } }
        - { field: customer.name }
        - { field: customer.phone }
        - { field: customer.rating }
        - { field: gross, label: { en: Sum, de: Summe }, highlight: isNull(gross) }
        - status
        - { field: dueOn, format: date(dd.MM.yyyy) }
        - { field: sentAt, format: datetime }
        - { name: vip, computed: "customer.rating >= 5", format: boolean }
        - { name: noted, computed: "note ?? 'none'" }
        - { field: net, format: decimal(3) }
      sort: gross desc, number
    open: { source: Invoice, filter: "status == 'open' and customer.name != 'x'", columns: [number, note], permissions: ['*'], defaultLimit: 2 }
    large: { source: Invoice, scope: large, columns: [{ field: number }], permissions: "hasRole('clerk') and user.username != 'claus'" }
    noted: { source: Invoice, filter: note == 'n1', columns: [number], permissions: [clerk, admin] }
    reached: { source: Invoice, filter: "customer.phone != null", columns: [number], permissions: [clerk, admin] }
    mine: { source: Invoice, columns: [id, number, user.username], permissions: [authenticated] }
    closed: { source: Invoice, columns: [number] }
    starts:
      source: Invoice
      filter: "startOf(sentAt, 'month') == startOf('2026-07-31T00:00:00Z', 'month') or startOf(dueOn, 'quarter') == '2026-01-01'"
      permissions: [clerk]
      columns:
        - number
        - { name: hour, computed: "startOf(sentAt, 'hour')" }
        - { name: day, computed: "startOf(sentAt, 'day')" }
        - { name: week, computed: "startOf(dueOn, 'week')" }
        - { name: quarter, computed: "startOf(dueOn, 'quarter')" }
        - { name: year, computed: "startOf(dueOn, 'year')" }
        - { name: none, computed: "startOf(dueOn, number)" }
      sort: number
`

for (const store of STORES) {
  describe(`views on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: office(VIEWS) })
    let ids: Ids = {}
    const tokens: Record<string, string> = {}
    beforeAll(async () => {
      const owner = await server().account('olga', ['customer'])
      tokens['olga'] = owner.token
      for (const role of ['clerk', 'auditor']) tokens[role] = (await server().account(role, [role])).token
      tokens['claus'] = (await server().account('claus', ['clerk'])).token
      tokens['admin'] = server().admin
      ids = await fill(server())
      await server().request('PATCH', `/api/v1/office/invoices/${ids['I1']}`, {
        token: server().admin,
        body: { userId: owner.id },
      })
    })
    const read = async (path: string, who = 'clerk', headers: Record<string, string> = {}) => {
      const token = tokens[who]
      return server().request('GET', `/api/v1/office/views/${path}`, {
        ...(token !== undefined && { token }),
        headers,
      })
    }
    const rows = async (path: string, who?: string) => (await read(path, who)).body.data?.items

    it('V6 answers columns, items with their key and highlights, and the page', async () => {
      const { status, body } = await read('board?limit=2')
      expect(status).toBe(200)
      expect(body.data.view).toBe('board')
      expect(body.data.columns.slice(0, 3)).toEqual([
        { name: 'number', label: 'Invoice', format: 'text' },
        { name: 'customer.name', label: 'Customer', format: 'text' },
        { name: 'customer.rating', label: 'customer.rating', format: 'integer' },
      ])
      expect(body.data.items[0]).toEqual({
        id: ids['I1'],
        number: 'I1',
        'customer.name': 'Ada',
        'customer.rating': 5,
        gross: 1234.5,
        status: 'open',
        dueOn: '2026-11-21',
        sentAt: '2026-07-01T12:30:00.000Z',
        vip: true,
        noted: 'none',
        net: 987.6,
        _highlights: { number: 'warning' },
      })
      expect(body.data).toMatchObject({
        count: 2,
        totalCount: 5,
        meta: { total: 5, page: 1, per_page: 2, has_next: true },
      })
    })

    it('V5 the first style in the order written that holds counts, and a bare condition is a warning', async () => {
      const items = await rows('board')
      const styles = Object.fromEntries(items.map((one: any) => [one.number, one._highlights]))
      expect(styles).toEqual({
        I1: { number: 'warning' },
        I2: { number: 'info' },
        I3: { number: 'error' },
        I4: { gross: 'warning' },
        I5: { number: 'info' },
      })
    })

    it('V1 V7 sorts as declared, or as the request says by names of columns', async () => {
      const numbers = async (path: string) => (await rows(path)).map(({ number }: any) => number)
      expect(await numbers('board')).toEqual(['I1', 'I5', 'I2', 'I3', 'I4'])
      expect(await numbers('board?sort=-status,number')).toEqual(['I2', 'I1', 'I4', 'I5', 'I3'])
      const { body } = await read('board?sort=customer.name,vip,net,nothing,number&colour=red')
      expect(body.data.items.map(({ number }: any) => number)).toEqual(['I1', 'I2', 'I3', 'I4', 'I5'])
      expect(body.warnings.map(({ message }: any) => message)).toEqual([
        "'colour' in 'query' is not known here: it was ignored",
        ...['customer.name', 'vip', 'net', 'nothing'].map(
          (one) => `'${one}' in 'sort' is not known here: it was ignored`,
        ),
      ])
    })

    it('V7 refuses another format, and takes pages as every list does', async () => {
      for (const query of ['format=pdf', 'format=', 'limit=x', 'formatted=yes'])
        expect([query, (await read(`board?${query}`)).status]).toEqual([query, 400])
      expect((await read('board?page=2&limit=3')).body.data).toMatchObject({ count: 2, totalCount: 5 })
      expect((await read('open', 'clerk')).body.data).toMatchObject({ count: 2, totalCount: 3 })
    })

    it('V6 F7 adds texts where they are asked for', async () => {
      const [first, , third] = (await read('board?formatted=true&sort=number')).body.data.items
      expect(first._formatted).toEqual({
        number: 'I1',
        'customer.name': 'Ada',
        'customer.rating': '5',
        gross: '£1,234.50',
        status: 'Still open',
        dueOn: '21.11.2026',
        sentAt: '2026-07-01 13:30',
        vip: 'Yes',
        noted: 'none',
        net: '987.600',
      })
      expect(third._formatted).toMatchObject({ gross: '-£5.00', sentAt: '', dueOn: '' })
      const german = await read('board?formatted=true&sort=number', 'clerk', { 'accept-language': 'de' })
      expect(german.status).toBe(200)
    })

    it('F7: the values of a list are written by their labels, in views and in texts', async () => {
      const definition = `
domain:
  name: shelf
  version: '1'
  enums: { Mark: { values: { new: { label: { en: Brand new, de: Ganz neu } }, old: { label: Old }, odd: {} } } }
  resources:
    Book:
      object: { marks: { type: array, items: { type: string, enum: Mark } } }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
  rules:
    told: { trigger: { resource: Book, on: create }, condition: 'true', action: warn, message: 'Marked {marks | text}' }
  views:
    books: { source: Book, columns: [marks], permissions: ['*'] }`
      await server().submit(definition)
      const ask = async (method: string, path: string, body?: object, language = 'en') => {
        const headers = { 'accept-language': language }
        const sent = { headers, token: server().admin, ...(body && { body }) }
        return (await server().request(method, `/api/v1/shelf/${path}`, sent)).body
      }
      const { warnings } = await ask('POST', 'books', { marks: ['new', 'odd', 'old'] })
      expect(JSON.stringify(warnings)).toContain('Marked Brand new, odd, Old')
      const shown = async (language: string) =>
        (await ask('GET', 'views/books?formatted=true', undefined, language)).data.items[0]
      expect(await shown('en')).toMatchObject({
        marks: ['new', 'odd', 'old'],
        _formatted: { marks: 'Brand new, odd, Old' },
      })
      expect((await shown('de'))._formatted.marks).toBe('Ganz neu, odd, Old')
    })

    it('V8 F11 CSV has every row, labels as its header, raw values, and no key', async () => {
      const { headers, body } = await read('board?format=csv')
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(headers.get('content-disposition')).toBe('attachment; filename="board.csv"')
      const lines = body.split('\r\n')
      expect(lines[0]).toBe('Invoice,Customer,customer.rating,Sum,status,dueOn,sentAt,vip,noted,net')
      expect(lines[1]).toBe('I1,Ada,5,1234.5,open,2026-11-21,2026-07-01T12:30:00.000Z,true,none,987.6')
      expect(lines[2]).toContain("'=Bob, Ltd")
      expect(lines).toHaveLength(7)
      expect((await read('board?format=csv&limit=1')).body.split('\r\n')).toHaveLength(3)
      expect((await read('open?format=csv')).body.split('\r\n')).toHaveLength(5)
    })

    it('V1 a scope of the source, and a filter', async () => {
      expect((await rows('large')).map(({ number }: any) => number).sort()).toEqual(['I1', 'I5'])
      expect((await rows('open?limit=10')).map(({ number }: any) => number).sort()).toEqual([
        'I1',
        'I4',
        'I5',
      ])
    })

    it('F3 roles or an expression about the caller let in, admins unless said', async () => {
      expect((await read('closed', 'clerk')).status).toBe(403)
      expect((await read('closed', 'admin')).status).toBe(200)
      expect((await read('closed', 'nobody')).status).toBe(401)
      expect((await read('large', 'clerk')).status).toBe(200)
      expect((await read('large', 'claus')).status).toBe(403)
      expect((await read('large', 'nobody')).status).toBe(401)
    })

    it('F4 rows are those that the caller may list', async () => {
      expect((await rows('board', 'olga')).map(({ number }: any) => number)).toEqual(['I1'])
      expect(await rows('board', 'auditor')).toEqual([])
      expect(await rows('mine', 'olga')).toEqual([
        { id: ids['I1'], number: 'I1', 'user.username': 'olga', _highlights: {} },
      ])
    })

    it('F5 V3 V4 columns over fields that the caller may not read are absent, and read as null', async () => {
      const [item] = await rows('board', 'olga')
      expect(Object.keys(item)).toEqual([
        'id',
        'number',
        'customer.name',
        'gross',
        'status',
        'sentAt',
        'vip',
        'noted',
        'net',
        '_highlights',
      ])
      expect([item.vip, item.noted]).toEqual([null, 'none'])
      const lines = (await read('board?format=csv', 'olga')).body.split('\r\n')
      expect(lines[0]).toBe('Invoice,Customer,Sum,status,sentAt,vip,noted,net')
      const { body } = await read('board?sort=-dueOn', 'olga')
      expect(body.warnings.map(({ message }: any) => message)).toEqual([
        "'dueOn' in 'sort' is not known here: it was ignored",
      ])
      const admin = (await read('board?sort=number', 'admin')).body.data.items[0]
      expect(admin).toMatchObject({ 'customer.phone': '+44 20 7946 0000', noted: 'n1' })
      expect(Object.keys((await rows('open', 'admin'))[0])).toContain('note')
      expect(Object.keys((await rows('open', 'clerk'))[0])).not.toContain('note')
    })

    it('F5 a source that may not be listed, and a filter over what may not be read, are refused', async () => {
      expect((await read('board', 'nobody')).status).toBe(401)
      for (const name of ['noted', 'reached']) {
        expect([name, (await read(name, 'clerk')).status]).toEqual([name, 403])
        expect([name, (await read(`${name}?format=csv`, 'clerk')).status]).toEqual([name, 403])
        expect((await rows(name, 'admin')).map(({ number }: any) => number)).toContain('I1')
      }
    })

    it('F10 startOf is the beginning of a unit in UTC, in formulas as in filters', async () => {
      const items = (await rows('starts')).map(({ id: _, _highlights: __, ...one }: any) => one)
      expect(items).toEqual([
        {
          number: 'I1',
          hour: '2026-07-01T12:00:00.000Z',
          day: '2026-07-01T00:00:00.000Z',
          week: '2026-11-16',
          quarter: '2026-10-01',
          year: '2026-01-01',
          none: null,
        },
        {
          number: 'I2',
          hour: null,
          day: null,
          week: '2025-12-29',
          quarter: '2026-01-01',
          year: '2026-01-01',
          none: null,
        },
      ])
    })

    it('F2 V8 an unknown view is not there, and names have case', async () => {
      for (const path of ['nothing', 'Board', 'board/x'])
        expect([path, (await read(path, 'admin')).body.error_code]).toEqual([path, 'NOT_FOUND'])
    })

    it('F2 the schema endpoint and the OpenAPI document tell of it', async () => {
      const { body } = await server().request('GET', '/api/v1/domains/office/schema', {
        token: tokens['admin']!,
      })
      expect(body.data.views.board).toMatchObject({
        label: 'Invoices',
        description: 'All that was sent',
        permissions: ['clerk', 'customer', 'auditor', 'admin'],
      })
      expect(body.data.views.board.columns[4]).toEqual({ name: 'gross', label: 'Sum', format: 'money' })
      const document = (
        await server().request('GET', '/api/v1/domains/office/openapi.json', { token: tokens['admin']! })
      ).body
      const operation = document.paths['/api/v1/office/views/board'].get
      expect(operation.operationId).toContain('views.board')
      expect(operation.parameters.map(({ name }: any) => name)).toEqual(
        expect.arrayContaining(['format', 'sort', 'page', 'limit', 'formatted']),
      )
    })
  })
}
