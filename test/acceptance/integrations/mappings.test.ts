import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const RESOURCES = {
  Part: {
    object: {
      sku: { type: 'string', unique: true },
      shelf: 'string',
      count: 'integer',
      cost: 'integer',
      marks: 'json',
      deletedAt: 'datetime',
    },
    features: { softDelete: true },
    permissions: { create: ['*'], list: ['*'], get: ['*'], fields: { cost: { read: ['admin', 'buyer'] } } },
  },
}

for (const store of STORES) {
  describe(`values of mappings on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const definitionOf = (body: object, more: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: RESOURCES,
          integrations: {
            far: {
              type: 'rest',
              baseUrl: 'https://far.example',
              ...more,
              operations: { ask: { method: 'POST', input: { text: 'string' }, body } },
            },
          },
        },
      })
    const send = (method: string, path: string, body?: object) =>
      server().request(method, `/api/v1/shop/${path}`, { token: server().admin, ...(body && { body }) })
    const ask = (input: object = {}) =>
      send('POST', 'integrations/far/operations/ask', { input, dryRun: true })
    const mapped = async (body: object, input: object = {}, more: object = {}) => {
      await server().submit(definitionOf(body, more))
      const answer = await ask(input)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body.data.request.body
    }
    const refused = async (body: object) => {
      const { status, body: answer } = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content: definitionOf(body) },
      })
      expect([status, answer.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(answer.errors)
    }

    it('4.7: the functions of texts, lists and numbers', async () => {
      const input = { text: ' Ab.c.Ab ' }
      expect(
        await mapped(
          {
            upper: '$(toUpper($input.text))',
            lower: 'toLower($input.text)',
            trimmed: 'trim($input.text)',
            part: '$(substring(trim($input.text), 0, 2))',
            rest: '$(substring(trim($input.text), 5))',
            replaced: "$(replace($input.text, '.', '-'))",
            split: "$(split(trim($input.text), '.'))",
            joined: "$(join(['x', 'y'], '+'))",
            usual: "$(join(['x', 'y']))",
            first: "$(coalesce(null, $input.text == 'x' ? 'x' : null, 'else'))",
            number: "$(toNumber(' -1.5e2 '))",
            none: "$(toNumber('1,5'))",
            same: '$(toNumber(7))',
          },
          input,
        ),
      ).toEqual({
        upper: ' AB.C.AB ',
        lower: ' ab.c.ab ',
        trimmed: 'Ab.c.Ab',
        part: 'Ab',
        rest: 'Ab',
        replaced: ' Ab-c-Ab ',
        split: ['Ab', 'c', 'Ab'],
        joined: 'x+y',
        usual: 'x,y',
        first: 'else',
        number: -150,
        none: null,
        same: 7,
      })
    })

    it('4.7: a null argument gives null', async () => {
      const calls = [
        'toUpper($input.text)',
        'toLower($input.text)',
        'trim($input.text)',
        'substring($input.text, 0)',
        "replace($input.text, 'a', 'b')",
        "split($input.text, ',')",
        'join(null)',
        'toNumber($input.text)',
        "formatDate($input.text, 'yyyy')",
        'parseDate($input.text)',
      ]
      const body = Object.fromEntries(calls.map((call, at) => [`f${at}`, `$(${call})`]))
      expect(Object.values(await mapped(body))).toEqual(calls.map(() => null))
    })

    it('4.7: dates are read and written by patterns, in zones', async () => {
      expect(
        await mapped({
          rfc3339: "$(parseDate('2026-03-29T02:30:00+02:00'))",
          http: "$(parseDate('Sun, 29 Mar 2026 00:30:00 GMT'))",
          seconds: "$(parseDate('1774744200'))",
          number: '$(parseDate(1774744200.5))',
          pattern: "$(parseDate('29.03.2026 14:05', 'dd.MM.yyyy HH:mm'))",
          zone: "$(parseDate('29.7.26 14:05', 'd.M.yy HH:mm', 'Europe/Berlin'))",
          skipped: "$(parseDate('2026-03-29 02:30', 'yyyy-MM-dd HH:mm', 'Europe/Berlin'))",
          quoted: "$(parseDate('20260329T1405', 'yyyyMMdd\\'T\\'HHmm'))",
          never: "$(parseDate('31.02.2026', 'dd.MM.yyyy'))",
          unreadable: "$(parseDate('soon'))",
          written: "$(formatDate('2026-03-01T23:30:00Z', 'dd.MM.yyyy HH:mm'))",
          there: "$(formatDate('2026-03-01T23:30:00Z', 'dd.MM.yyyy HH:mm', 'Europe/Berlin'))",
          offset: "$(formatDate('2026-07-01T23:30:00Z', 'HH:mm XXX', 'Europe/Berlin'))",
        }),
      ).toEqual({
        rfc3339: '2026-03-29T00:30:00.000Z',
        http: '2026-03-29T00:30:00.000Z',
        seconds: '2026-03-29T00:30:00.000Z',
        number: '2026-03-29T00:30:00.500Z',
        pattern: '2026-03-29T14:05:00.000Z',
        zone: '2026-07-29T12:05:00.000Z',
        skipped: '2026-03-29T01:00:00.000Z',
        quoted: '2026-03-29T14:05:00.000Z',
        never: null,
        unreadable: null,
        written: '01.03.2026 23:30',
        there: '02.03.2026 00:30',
        offset: '01:30 +02:00',
      })
    })

    it('4.7: now() is one moment in a run, and uuid() is a new one', async () => {
      const body = await mapped({ a: '$(now())', b: 'now()', c: 'uuid()', d: '$(uuid())' })
      expect(body.a).toBe(body.b)
      expect(body.c).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(body.c).not.toBe(body.d)
    })

    it('4.7: findOne and findMany find records that are there, by all of their pairs', async () => {
      const part = async (sku: string, shelf: string, count: number) =>
        (await send('POST', 'parts', { sku, shelf, count, cost: 5 })).body.data.id
      await server().submit(definitionOf({}))
      const ids = [await part('a', 'top', 1), await part('b', 'top', 2), await part('c', 'low', 1)].toSorted()
      const gone = await part('gone', 'top', 1)
      expect((await send('DELETE', `parts/${gone}`)).status).toBe(204)
      const body = await mapped(
        {
          sku: "$(findOne('Part', 'sku', $input.text).sku)",
          two: "$(findOne('Part', 'shelf', 'top', 'count', 2).sku)",
          nobody: "$(findOne('Part', 'sku', 'z'))",
          null: "$(findOne('Part', 'sku', null))",
          unfit: "$(findOne('Part', 'count', 'many'))",
          many: "$(findMany('Part', 'shelf', 'top'))",
          none: "$(findMany('Part', 'shelf', null))",
          deleted: "$(findOne('Part', 'sku', 'gone'))",
          twice: "$(findOne('Part', 'sku', findOne('Part', 'shelf', 'low').sku).count)",
        },
        { text: 'a' },
      )
      expect(body).toMatchObject({
        sku: 'a',
        two: 'b',
        nobody: null,
        null: null,
        unfit: null,
        none: [],
        deleted: null,
        twice: 1,
      })
      expect(body.many.map(({ id }: { id: string }) => id)).toEqual(
        body.many.map(({ id }: { id: string }) => id).toSorted(),
      )
      expect(body.many.map(({ sku }: { sku: string }) => sku).toSorted()).toEqual(['a', 'b'])
      expect(body.many[0].cost).toBe(5)
      expect(ids).toContain(body.many[0].id)
      // Who may not read a field does not find it.
      await server().account(`clerk-${store.name}`, ['clerk'])
      const seen = await mapped({ part: "$(findOne('Part', 'sku', 'a'))" }, {}, { as: `clerk-${store.name}` })
      expect(seen.part.sku).toBe('a')
      expect(seen.part.cost).not.toBe(5)
    })

    it('4.7: a run that looks for records more than a hundred times fails, and so does one thousand records not come', async () => {
      await server().submit(definitionOf({}))
      const items = Array.from({ length: 120 }, (_, at) => ({ sku: `n${at}`, shelf: 'full' }))
      expect((await send('POST', 'parts/bulk', { items })).status).toBe(201)
      expect((await mapped({ many: "$(findMany('Part', 'shelf', 'full'))" })).many).toHaveLength(100)
      const body = Object.fromEntries(
        Array.from({ length: 101 }, (_, at) => [`p${at}`, `$(findOne('Part', 'sku', 'n${at}'))`]),
      )
      await server().submit(definitionOf(body))
      const { status, body: answer } = await ask()
      expect([status, answer.errors[0].rule]).toEqual([422, 'mapping'])
    })

    it('4.6: an unknown function, resource, field or variable is refused where it stands', async () => {
      const cases: readonly (readonly [string, string])[] = [
        ["$(findOne('Nothing', 'sku', 'a'))", 'has to name a resource'],
        ["$(findOne($input.text, 'sku', 'a'))", 'has to name a resource'],
        ["$(findOne('Part', 'colour', 'a'))", "stores no field 'colour'"],
        ["$(findOne('Part', 'marks', 'a'))", "records are not found by 'marks'"],
        ["$(findOne('Part', 'sku'))", ''],
        ["$(findMany('Part', 'sku', 'a', 'shelf'))", 'come in pairs'],
        ["$(parseDate('x', 'YYYY'))", "no date is read by 'YYYY'"],
        ["$(formatDate('2026-01-01', 'yyyy', 'Mars/Olympus'))", 'is no time zone'],
        ['$(shout($input.text))', 'shout'],
        ['$payload.id', 'payload'],
        ['$response.id', 'response'],
      ]
      for (const [value, message] of cases) expect(await refused({ value }), value).toContain(message)
    })
  })
}
