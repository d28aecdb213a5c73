import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = "permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"

const trial = (expression: string, key = 'crossRecord: true, reactive: true') => `
domain:
  name: trial
  version: '1'
  resources:
    Other:
      object: { code: { type: string, primaryKey: true }, amount: decimal, day: date, tags: array, word: password }
      computed: { virtual: amount * 2 }
    Sheet:
      mode: sheet
      computedFields: { ${key} }
      object: { code: string, amount: decimal, day: date }
      computed:
        found: { type: json, expression: ${JSON.stringify(expression)} }
`

const THREE = `
domain:
  name: trial
  version: '1'
  resources:
    A:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true, maxDepth: 2 }
      object: { key: { type: string, primaryKey: true }, n: integer }
      computed: { a: { type: integer, expression: "lookup('B', key, 'b')" } }
    B:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { key: { type: string, primaryKey: true }, n: integer }
      computed: { b: { type: integer, expression: "aggregate('C', 'sum', 'c')" } }
    C:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { key: { type: string, primaryKey: true }, n: integer }
      computed: { c: { type: integer, expression: "lookup('A', key, 'FIELD')" } }
`

const LONE = `
domain:
  name: lone
  version: '1'
  resources:
    Rate:
      object: { code: { type: string, primaryKey: true }, price: decimal }
      ${OPEN}
    Sheet:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true, overridable: [found] }
      object: { code: string, amount: decimal }
      computed: { found: { type: decimal, expression: "aggregate('Rate', 'count', 'code', 'price > 3')" } }
      ${OPEN}
    Still:
      mode: sheet
      computedFields: { crossRecord: true }
      object: { code: string, amount: decimal }
      computed: { found: { type: decimal, expression: "lookup('Rate', code, 'price')", stored: true } }
      ${OPEN}
`

for (const store of STORES)
  describe(`formulas across records that are refused on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: LONE })
    const preview = async (content: string) => {
      const { body } = await server().request('POST', '/api/v1/domains/trial/preview', {
        token: server().admin,
        body: { content },
      })
      return (body.errors ?? []).map(
        (one: any) => `${one.path.replace('domain.resources.', '')}: ${one.message}`,
      )
    }
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `/api/v1/lone/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })

    it('[11.5] what a definition may not say', async () => {
      const faults = async (expression: string, key?: string) => preview(trial(expression, key))
      expect(await faults("lookup('Other', code, 'amount')")).toEqual([])
      expect(await faults("aggregate('Other', 'sum', 'amount')")).toEqual([])
      expect(await faults("aggregate('Other', 'max', 'day', 'day <= $record.day')")).toEqual([])
      for (const [expression, message] of [
        ["lookup('Nowhere', code, 'amount')", "no resource 'Nowhere'"],
        ["lookup('Other', code, 'nothing')", "no stored field 'nothing'"],
        ["lookup('Other', code, 'virtual')", "no stored field 'virtual'"],
        ["lookup('Other', code, 'word')", "no stored field 'word'"],
        ["lookup(code, code, 'amount')", 'has to be written out'],
        ["lookup('Other', code, code)", 'has to be written out'],
        ["lookup('Other', code)", 'takes a resource, a key and a field'],
        ["lookup('Other', hours, 'amount')", "'hours' is not known here"],
        ["aggregate('Other', 'median', 'amount')", "knows sum, avg, min, max, count, not 'median'"],
        ["aggregate('Other', 'sum', 'code')", 'wants a number'],
        ["aggregate('Other', 'min', 'tags')", 'there is no min'],
        ["aggregate('Other', 'sum', 'amount', code)", 'has to be written out'],
        ["aggregate('Other', 'sum', 'amount', 'amount >')", 'in the filter'],
        ["aggregate('Other', 'sum', 'amount', 'amonut > 1')", "'amonut' is not known here"],
        ["aggregate('Other', 'sum', 'amount', 'code == $record.cod')", "no 'cod' in here"],
        ["aggregate('Other', 'sum', 'amount', '$record == null')", 'cannot be taken as a whole'],
        ["aggregate('Other', 'sum', 'amount', 'code == record.code')", "no 'record' here"],
        ["aggregate('Other', 'sum', 'amount', 'code == user.id')", "no 'user' here"],
        ["aggregate('Other', 'sum', 'amount', \"field('code') == 'x'\")", 'asks about a record by itself'],
        ["aggregate('Other', 'sum', 'amount', 'amount * 2')", 'a filter is a condition'],
        ["aggregate('Other', 'sum', 'amount', \"code matches '^a'\")", 'cannot be asked of the database'],
        [
          "aggregate('Other', 'sum', 'amount', \"lookup('Other', code, 'amount') > 1\")",
          "no function 'lookup'",
        ],
        [
          Array.from({ length: 21 }, () => "aggregate('Other', 'count', 'code')").join(' + '),
          '20 times at most',
        ],
      ] as const)
        expect([expression, await faults(expression)]).toEqual([
          expression,
          [expect.stringContaining(message)],
        ])
      for (const key of ['reactive: true', 'crossRecord: true'])
        expect(await faults("lookup('Other', code, 'amount')", key)).toEqual([
          expect.stringContaining("Sheet.computed.found.expression: there is no function 'lookup'"),
        ])
    })

    it('[11.4] circles through three resources, and chains that are too deep', async () => {
      const [circle, ...more] = await preview(THREE.replace('FIELD', 'a'))
      expect(circle).toContain('in a circle, across records')
      expect(more).toEqual([])
      expect(await preview(THREE.replace('FIELD', 'n'))).toEqual([
        expect.stringContaining('A.computedFields.maxDepth: 3 computed fields read each other in a chain'),
      ])
      expect(await preview(THREE.replace('FIELD', 'n').replace('maxDepth: 2', 'maxDepth: 3'))).toEqual([])
    })

    it('[11.3] [11.5] what a formula of a record may not say', async () => {
      const { id } = (await send('POST', 'sheets', { code: 'a', amount: 1 })).body.data
      const long = `${"aggregate('Rate', 'count', 'code') + "}${'1'.repeat(10_001)}`
      for (const source of [
        long,
        `${'('.repeat(10_000)}1${')'.repeat(10_000)}`,
        `aggregate('Rate', 'sum', 'price', '${'('.repeat(4_000)}price > 1${')'.repeat(4_000)}')`,
        "aggregate('Rate', 'sum', 'price', '')",
        "aggregate('Rate', 'sum', 'price', 'a\\' or \\'1\\' == \\'1')",
        "lookup('Rate', code, 'price; drop')",
        "lookup('svc_users', code, 'email')",
        "lookup('__proto__', code, 'constructor')",
        "aggregate('Rate', 'sum', 'price', '__proto__ == null')",
        "lookup('Sheet', code, 'found')",
      ]) {
        const answer = await send('PATCH', `sheets/${id}`, { found_formula: source })
        expect([source.slice(0, 60), answer.status, answer.body.errors?.[0]?.rule]).toEqual([
          source.slice(0, 60),
          422,
          source.length > 10_000 ? expect.any(String) : 'expression',
        ])
      }
    })

    it('[11.5] a filter that compares nothing of the record counts for every record', async () => {
      await send('POST', 'rates', { code: 'a', price: 2 })
      expect((await send('GET', 'sheets')).body.data.items[0].found).toBe(0)
      await send('PATCH', 'rates/a', { price: 4 })
      expect((await send('GET', 'sheets')).body.data.items[0].found).toBe(1)
    })

    it('[11.7] without `reactive` a value is that of the last write of its record', async () => {
      const { id, found } = (await send('POST', 'stills', { code: 'a', amount: 1 })).body.data
      expect(found).toBe(4)
      await send('PATCH', 'rates/a', { price: 5 })
      expect((await send('GET', `stills/${id}`)).body.data.found).toBe(4)
      expect((await send('PATCH', `stills/${id}`, { amount: 2 })).body.data.found).toBe(5)
    })
  })
