import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = `permissions: { list: [mechanic, clerk], get: [mechanic, clerk], create: [mechanic, clerk], update: [mechanic, clerk], delete: [mechanic] }`
const COLUMNS = `dynamicFields: { permissions: { addColumn: [mechanic, clerk], renameColumn: [mechanic], deleteColumn: [mechanic] } }`

const DEFINITION = `
domain:
  name: stand
  version: '1'
  resources:
    Rate:
      mode: sheet
      ${COLUMNS}
      object: { code: { type: string, primaryKey: true }, price: decimal, cost: decimal }
      permissions:
        list: [mechanic, clerk]
        get: [mechanic, clerk]
        create: [mechanic]
        update: [mechanic]
        fields: { cost: { read: [mechanic] } }
    Job:
      mode: sheet
      ${COLUMNS}
      computedFields: { crossRecord: true, reactive: true, overridable: [total], maxDepth: 4 }
      object: { code: string, hours: decimal, team: string }
      computed:
        price: { type: decimal, expression: "lookup('Rate', code, 'price')" }
        total: { type: decimal, expression: hours * price }
      ${OPEN}
    Team:
      mode: sheet
      ${COLUMNS}
      computedFields: { crossRecord: true, reactive: true, overridable: [spent] }
      object: { name: { type: string, primaryKey: true }, link: string }
      computed:
        spent: { type: decimal, expression: "aggregate('Job', 'sum', 'total', 'team == $record.name')" }
        half: { type: decimal, expression: spent / 2 }
      ${OPEN}
`

for (const store of STORES)
  describe(`changes of what formulas look into on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    let mechanic: TestAccount
    let clerk: TestAccount
    const send = (method: string, path: string, body?: unknown, token = mechanic.token) =>
      server().request(method, `/api/v1/stand/${path}`, { token, ...(body !== undefined && { body }) })
    const data = async (method: string, path: string, body?: unknown) => {
      const answer = await send(method, path, body)
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body?.data
    }
    const submit = (content: string) =>
      server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content, allow_destructive: true },
      })
    let job = ''
    beforeAll(async () => {
      mechanic = await server().account('mia', ['mechanic'])
      clerk = await server().account('cleo', ['clerk'])
      await data('POST', 'rates', { code: 'a', price: 10, cost: 4 })
      await data('POST', 'rates', { code: 'b', price: 20, cost: 5 })
      await data('POST', 'teams', { name: 'red', link: 'blue' })
      await data('POST', 'teams', { name: 'blue' })
      job = (await data('POST', 'jobs', { code: 'a', hours: 2, team: 'red' })).id
      await data('POST', 'jobs', { code: 'b', hours: 3, team: 'red' })
    })

    it('[11.8] a column with an expression looks into other records, as far as whoever adds it may', async () => {
      const column = (expression: string, token?: string) =>
        send('POST', 'jobs/columns', { name: 'extra', type: 'decimal', expression }, token)
      const cost = "hours * lookup('Rate', code, 'cost')"
      expect((await column(cost, clerk.token)).body.errors?.[0]).toMatchObject({ rule: 'expression' })
      expect((await column("lookup('Rate', nothing, 'cost')")).body.errors?.[0]?.rule).toBe('expression')
      expect((await column("lookup('Nowhere', code, 'cost')")).body.errors?.[0]?.rule).toBe('expression')
      expect((await column(cost)).status).toBe(201)
      expect(await data('GET', `jobs/${job}`)).toMatchObject({ extra: 8, total: 20 })
      await data('PATCH', 'rates/a', { cost: 6 })
      expect(await data('GET', `jobs/${job}`)).toMatchObject({ extra: 12 })
      expect((await send('GET', `jobs/${job}`, undefined, clerk.token)).body.data).toMatchObject({
        extra: null,
        total: 20,
      })
      // price, total and the column are three, and one more is as deep as it goes here.
      const deep = (name: string, expression: string) =>
        send('POST', 'jobs/columns', { name, type: 'decimal', expression })
      expect((await deep('deep', "lookup('Team', team, 'spent')")).status).toBe(201)
      expect((await deep('deeper', "lookup('Team', team, 'half')")).body.errors?.[0]?.rule).toBe('expression')
      for (const name of ['deep', 'extra']) await data('DELETE', `jobs/columns/${name}`)
    })

    it('[10.5] a rename is carried into formulas of other resources, and what they read is not deleted', async () => {
      await data('POST', 'rates/columns', { name: 'fee', type: 'decimal', default: 1 })
      await data('POST', 'teams/columns', {
        name: 'fees',
        type: 'decimal',
        expression: "aggregate('Rate', 'sum', 'fee', 'fee > 0 and code != $record.name')",
      })
      const own = "hours * lookup('Rate', code, 'fee')"
      expect(await data('PATCH', `jobs/${job}`, { total_formula: own })).toMatchObject({ total: 2 })
      expect(await data('GET', 'teams/red')).toMatchObject({ fees: 2, spent: 62 })
      const refused = await send('DELETE', 'rates/columns/fee')
      expect([refused.status, refused.body.error_code]).toEqual([409, 'REFERENCED'])
      await data('PATCH', 'rates/columns/fee', { name: 'charge' })
      expect((await data('GET', `jobs/${job}`)).total_formula).toContain("'charge'")
      expect((await data('GET', 'teams/columns/fees')).expression).toContain('charge > 0')
      await data('PATCH', 'rates/a', { charge: 4 })
      expect(await data('GET', `jobs/${job}`)).toMatchObject({ total: 8 })
      expect(await data('GET', 'teams/red')).toMatchObject({ fees: 5, spent: 68, half: 34 })
      await data('DELETE', 'teams/columns/fees')
      const still = await send('DELETE', 'rates/columns/charge')
      expect([still.status, still.body.error_message]).toEqual([
        409,
        expect.stringContaining("'Job.total_formula'"),
      ])
      expect(await data('PATCH', `jobs/${job}`, { total_formula: null })).toMatchObject({ total: 20 })
      await data('DELETE', 'rates/columns/charge')
    })

    it('[10.5] names in filters follow, by which field of which record they are', async () => {
      await data('POST', 'jobs/columns', { name: 'level', type: 'decimal', default: 1 })
      const filter = `level >= $record['level'] and level > 0`
      await data('POST', 'jobs/columns', {
        name: 'peers',
        type: 'decimal',
        expression: `aggregate('Job', 'sum', 'level', "${filter}")`,
      })
      expect((await send('DELETE', 'jobs/columns/level')).body.error_code).toBe('REFERENCED')
      await data('PATCH', 'jobs/columns/level', { name: 'grade' })
      expect(await data('PATCH', `jobs/${job}`, { grade: 3 })).toMatchObject({ peers: 3 })
      // A filter has no other way to say it than the bare word.
      const refused = await send('PATCH', 'jobs/columns/grade', { name: 'user' })
      expect([refused.status, refused.body.errors[0]]).toMatchObject([
        422,
        { field: 'name', rule: 'expression' },
      ])
      for (const name of ['peers', 'grade']) await data('DELETE', `jobs/columns/${name}`)
    })

    it('[11.7] a definition that changes what formulas read works all that depends on it out anew, in order', async () => {
      const changed = DEFINITION.replace(
        "lookup('Rate', code, 'price')",
        "lookup('Rate', code, 'price') + 1",
      ).replace("version: '1'", "version: '2'")
      expect((await submit(changed)).status).toBe(201)
      expect(await data('GET', `jobs/${job}`)).toMatchObject({ price: 11, total: 22 })
      expect(await data('GET', 'teams/red')).toMatchObject({ spent: 85, half: 42.5 })
      // Another type of what they look up, which cuts values off.
      await data('PATCH', 'rates/a', { price: 10.75 })
      expect(await data('GET', 'teams/red')).toMatchObject({ spent: 86.5 })
      const cut = changed.replace('price: decimal,', 'price: integer,').replace("'2'", "'3'")
      const answer = await submit(cut)
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      const { price } = await data('GET', 'rates/a')
      const total = price === null ? null : 2 * (price + 1)
      expect(await data('GET', `jobs/${job}`)).toMatchObject({ total })
      expect(await data('GET', 'teams/red')).toMatchObject({ spent: (total ?? 0) + 63 })
      const back = await server().request('POST', '/api/v1/domains/stand/rollback', {
        token: server().admin,
        body: {},
      })
      expect(back.status, JSON.stringify(back.body)).toBe(200)
      expect(await data('PATCH', 'rates/a', { price: 10 })).toMatchObject({ price: 10 })
      expect(await data('GET', 'teams/red')).toMatchObject({ spent: 85 })
      const further = await server().request('POST', '/api/v1/domains/stand/rollback', {
        token: server().admin,
        body: {},
      })
      expect(further.status, JSON.stringify(further.body)).toBe(200)
      expect(await data('GET', `jobs/${job}`)).toMatchObject({ price: 10, total: 20 })
      expect(await data('GET', 'teams/red')).toMatchObject({ spent: 80, half: 40 })
    })

    it('[11.4] a definition that would close a circle with formulas of records is refused', async () => {
      await data('PATCH', 'teams/red', { spent_formula: "lookup('Team', link, 'half')" }).catch(
        () => undefined,
      )
      // Half reads spent, across records by field: a circle by itself.
      expect((await data('GET', 'teams/red')).spent_formula).toBe(null)
      await data('PATCH', 'teams/red', { spent_formula: "aggregate('Rate', 'count', 'code')" })
      await data('PATCH', `jobs/${job}`, { total_formula: "lookup('Rate', code, 'cost')" })
      await data('PATCH', 'teams/red', { spent_formula: null })
      const reading = DEFINITION.replace(
        'object: { code: { type: string, primaryKey: true }, price: decimal, cost: decimal }',
        [
          'computedFields: { crossRecord: true, reactive: true }',
          'object: { code: { type: string, primaryKey: true }, price: decimal }',
          "computed: { cost: { type: decimal, expression: \"aggregate('Job', 'sum', 'total', 'code == $record.code')\" } }",
        ].join('\n      '),
      ).replace("version: '1'", "version: '4'")
      const answer = await submit(reading)
      expect([answer.status, answer.body.error_code, answer.body.error_message]).toEqual([
        409,
        'CONFLICT',
        expect.stringContaining('in a circle'),
      ])
      await data('PATCH', `jobs/${job}`, { total_formula: null })
      expect((await submit(reading)).status).toBe(201)
      expect(await data('GET', 'rates/a')).toMatchObject({ cost: 20 })
    })
  })
