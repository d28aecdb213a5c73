import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

/** Plots in a garden: some are gone, some lie in a bed that not everybody may see. */
const GARDEN = `
domain:
  name: garden
  version: '1'
  api: { aliases: [/plots] }
  localization: { supportedLocales: [en, de], numberFormat: { de: { thousands: '.', decimal: ',' } } }
  enums: { Soil: { values: { clay: { label: { en: Clay, de: Lehm } }, sand: {} } } }
  resources:
    Bed:
      object: { name: string, public: boolean }
      permissions: { list: [keeper], get: public or hasRole('keeper'), create: [keeper] }
    Plan:
      object: { title: string }
      permissions: { list: [keeper], get: [keeper], create: [keeper] }
    Plot:
      features: { softDelete: true }
      object:
        name: { type: string, label: { en: Plot, de: Beet } }
        size: { type: decimal, label: { en: '=Size', de: Größe } }
        soil: { type: string, enum: Soil }
        rank: integer
        deletedAt: datetime
        bedId: uuid
        planId: uuid
      relationships:
        bed: { type: belongsTo, target: Bed }
        plan: { type: belongsTo, target: Plan }
      scopes:
        seen: { filter: "name <> 'hidden' AND deletedAt IS NULL", default: true }
        whole: { filter: 'size >= 0 AND deletedAt IS NULL' }
      permissions:
        list: ['*']
        get: ['*']
        create: [keeper]
        delete: [keeper]
        fields: { rank: { read: [keeper] } }
    Shed:
      object: { name: string }
      permissions: { list: [keeper] }
  views:
    plots: { source: Plot, permissions: ['*'], sort: 'rank desc, name', columns: [name, size, soil, rank, bed.name, { field: plan.title, label: Plan }] }
    scoped: { source: Plot, permissions: ['*'], scope: whole, columns: [name], sort: name }
    nobody: { source: Plot, permissions: [], columns: [name] }
    sheds: { source: Shed, permissions: ['*'], columns: [name] }
    formulas: { source: Plot, permissions: ['*'], columns: [{ field: name, label: '+1+1' }, { name: worked, label: '@x', computed: "concat('=', name)" }], sort: name }
  reports:
    count: { permissions: ['*'], sections: [{ table: { view: plots, totals: [size] } }, { metrics: [{ label: n, value: count(Plot) }, { label: all, value: count(scoped) }] }] }
  dashboards:
    count: { permissions: ['*'], widgets: { n: { type: counter, query: { source: Plot } }, all: { type: counter, query: { source: Plot, scope: whole } } } }
`

const HOSTILE = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '-5',
  '+44 20 7946 0000',
  "'x",
  'a;b,"c"\r\nd',
]
const GUARDED = [
  "'=1+1", "'+1+1", "'-1+1", "'@SUM(A1)", "'\tx", '"\'\rx"', '-5', '+44 20 7946 0000', "'x", '"a;b,""c""\r\nd"',
] // prettier-ignore

for (const store of STORES) {
  describe(`readers of views on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: GARDEN })
    const tokens: Record<string, string> = {}
    const ask = async (path: string, who = 'nobody', headers: Record<string, string> = {}) => {
      const token = tokens[who]
      return server().request('GET', path.startsWith('/') ? path : `/api/v1/garden/${path}`, {
        ...(token !== undefined && { token }),
        headers,
      })
    }
    const create = async (path: string, body: object): Promise<string> => {
      const token = tokens['keeper']!
      const answer = await server().request('POST', `/api/v1/garden/${path}`, { token, body })
      expect(answer.status).toBe(201)
      return answer.body.data.id
    }
    beforeAll(async () => {
      tokens['keeper'] = (await server().account('kim', ['keeper'])).token
      tokens['guest'] = (await server().account('gil')).token
      const open = await create('beds', { name: 'Open', public: true })
      const shut = await create('beds', { name: 'Shut', public: false })
      const planId = await create('plans', { title: 'Secret plan' })
      await create('plots', { name: 'a', size: 1234.5, soil: 'clay', rank: 1, bedId: open, planId })
      await create('plots', { name: 'b', size: 2, soil: 'sand', rank: 3, bedId: shut, planId })
      await create('plots', { name: 'hidden', size: 3, rank: 2 })
      const gone = await create('plots', { name: 'gone', size: 4, rank: 9 })
      const path = `/api/v1/garden/plots/${gone}`
      expect((await server().request('DELETE', path, { token: tokens['keeper']! })).status).toBe(204)
    })
    const names = async (path: string, who?: string) =>
      (await ask(path, who)).body.data.items.map(({ name }: any) => name)

    it('F2 views, reports and dashboards answer below every alias', async () => {
      for (const path of ['views/plots', 'reports/count', 'dashboards/count', 'dashboards/count/widgets/n'])
        expect([path, (await ask(`/plots/${path}`)).body.data]).toEqual([path, (await ask(path)).body.data])
    })

    it('F3 an empty list lets nobody in', async () => {
      expect((await ask('views/nobody')).body.error_code).toBe('UNAUTHORIZED')
      expect((await ask('views/nobody', 'keeper')).body.error_code).toBe('FORBIDDEN')
      tokens['admin'] = server().admin
      expect((await ask('views/nobody', 'admin')).body.error_code).toBe('FORBIDDEN')
    })

    it('F5 a source that may not be listed is 401 for a stranger and 403 for others, whatever the door says', async () => {
      for (const format of ['json', 'csv']) {
        expect((await ask(`views/sheds?format=${format}`)).body.error_code).toBe('UNAUTHORIZED')
        expect((await ask(`views/sheds?format=${format}`, 'guest')).body.error_code).toBe('FORBIDDEN')
        expect((await ask(`views/sheds?format=${format}`, 'keeper')).status).toBe(200)
      }
    })

    it('F4 rows are those of the default scope, or of the one that is named; what was deleted is gone', async () => {
      expect(await names('views/plots', 'keeper')).toEqual(['b', 'a'])
      expect(await names('views/scoped', 'keeper')).toEqual(['a', 'b', 'hidden'])
      const [table, { metrics }] = (await ask('reports/count')).body.data.sections
      expect([table.totalCount, table.totals]).toEqual([2, { size: 1236.5 }])
      expect(metrics.map(({ value }: any) => value)).toEqual([2, 3])
      const { n, all } = (await ask('dashboards/count')).body.data.widgets
      expect([n.value, all.value]).toEqual([2, 3])
    })

    it('F5 V1 a declared sort key that the reader may not read is passed over', async () => {
      expect(await names('views/plots')).toEqual(['a', 'b'])
    })

    it('V3 a target record or a whole target that is closed is null, in JSON, texts and CSV', async () => {
      const rows = async (who: string) =>
        (await ask('views/plots?sort=name', who)).body.data.items.map((one: any) => [
          one['bed.name'],
          one['plan.title'],
        ])
      expect(await rows('keeper')).toEqual([
        ['Open', 'Secret plan'],
        ['Shut', 'Secret plan'],
      ])
      expect(await rows('guest')).toEqual([
        ['Open', null],
        [null, null],
      ])
      const csv = (await ask('views/plots?format=csv&sort=name', 'guest')).body
      expect(csv).not.toMatch(/Shut|Secret/)
      const { items } = (await ask('views/plots?formatted=true&sort=-name', 'guest')).body.data
      expect(items[0]._formatted).toMatchObject({ 'bed.name': '', 'plan.title': '' })
    })

    it('F11 F7 headers and texts are in the language of the reader, cells as they are', async () => {
      const german = { 'accept-language': 'de' }
      const lines = (await ask('views/plots?format=csv&sort=name', 'guest', german)).body.split('\r\n')
      expect(lines[0]).toBe('Beet,Größe,soil,bed.name,Plan')
      expect(lines[1]).toBe('a,1234.5,clay,Open,')
      const { items, columns } = (await ask('views/plots?formatted=true&sort=name', 'guest', german)).body
        .data
      expect(columns[1]).toEqual({ name: 'size', label: 'Größe', format: 'decimal' })
      expect(items[0]._formatted).toMatchObject({ size: '1.234,50', soil: 'Lehm' })
    })

    it('F11 4.9 no cell and no label of CSV is a formula', async () => {
      for (const name of HOSTILE) await create('plots', { name, size: 0 })
      const { body } = await ask('views/formulas?format=csv')
      expect(body.slice(0, body.indexOf('\r\n'))).toBe("'+1+1,'@x")
      for (const cell of GUARDED) expect(body).toContain(`\r\n${cell},`)
      expect(body).not.toMatch(/(?:^|,|\n)"?[=@]/)
      const all = (await ask('reports/count?format=csv')).body
      expect(all.split('\r\n')[0]).toContain("'=Size")
    })

    it('V7 2.7 what is ignored is an error where that is asked for, and pages are brought into range', async () => {
      const strict = { prefer: 'handling=strict' }
      for (const query of ['colour=red', 'sort=rank', 'sort=bed.name', 'sort=,'])
        expect([query, (await ask(`views/plots?${query}`, 'nobody', strict)).body.error_code]).toEqual([
          query,
          'INVALID_QUERY',
        ])
      const { data } = (await ask('views/plots?limit=100000&page=0')).body
      expect(data.meta).toMatchObject({ page: 1, per_page: 1000 })
    })
  })
}
