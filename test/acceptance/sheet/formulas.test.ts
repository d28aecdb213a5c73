import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: stand
  version: '1'
  resources:
    Sheet:
      mode: sheet
      dynamicFields: { permissions: { addColumn: [mechanic], renameColumn: [mechanic], deleteColumn: [mechanic] } }
      computedFields: { overridable: [net, total, title, due], maxDepth: 3 }
      object:
        bike: { type: string, required: true }
        hours: { type: decimal, default: 2 }
        rate: { type: decimal, default: 10 }
        secret: decimal
        hiddenNote: { type: decimal, hidden: true }
        day: date
      computed:
        net: { type: decimal, expression: hours * rate, stored: true }
        total: { type: decimal, expression: net * 1.2, stored: true }
        title: { type: string, expression: upper(bike), stored: true }
        due: { type: date, expression: day, stored: true }
        twice: { type: decimal, expression: total * 2 }
      features: { export: true, import: true, versioning: true, audit: true }
      permissions:
        list: [mechanic, clerk]
        get: [mechanic, clerk]
        create: [mechanic, clerk]
        update: [mechanic, clerk]
        fields:
          secret: { read: [mechanic], write: [mechanic] }
          title: { write: [mechanic] }
`

for (const store of STORES) {
  describe(`formulas of records on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    let mechanic: TestAccount
    let clerk: TestAccount
    beforeAll(async () => {
      mechanic = await server().account('mia', ['mechanic'])
      clerk = await server().account('cleo', ['clerk'])
    })
    const at = '/api/v1/stand/sheets'
    const send = (
      method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
      path: string,
      body?: unknown,
      token = mechanic.token,
    ) => server().request(method, path, { token, ...(body !== undefined && { body }) })
    const make = async (body: object) => (await send('POST', at, { bike: 'b', ...body })).body.data
    const faultsOf = (answer: { body: any }) =>
      answer.body.errors?.map((one: any) => `${one.field} ${one.rule}`)

    it('[11.1] refuses what is not offered, and names that are no computed field', async () => {
      const faults = async (key: string, more = '') => {
        const content = `domain:\n  name: trial\n  version: '1'\n  resources:\n    A:\n      mode: sheet\n      object: { a: integer${more} }\n      computed: { b: { type: integer, expression: a, stored: true }, v: a }\n      computedFields: { ${key} }`
        const { body } = await send('POST', '/api/v1/domains/trial/preview', { content }, server().admin)
        return body.errors?.map(({ path }: any) => path.replace('domain.resources.A.', ''))
      }
      expect(await faults('crossRecord: true')).toBe(undefined)
      expect(await faults('crossRecord: 1')).toEqual(['computedFields.crossRecord'])
      expect(await faults('overridable: true')).toEqual(['computedFields.overridable'])
      expect(await faults('overridable: [a, v, c]')).toEqual(
        [0, 1, 2].map((one) => `computedFields.overridable.${one}`),
      )
      expect(await faults('maxDepth: 51')).toEqual(['computedFields.maxDepth'])
      expect(await faults('overridable: [b]', ', b_formula: text')).toEqual(['object.b_formula'])
      expect(await faults('overridable: [b]')).toBe(undefined)
    })

    it('[11.2] a record has a formula of its own, in every write; null brings the declared one back', async () => {
      const plain = await make({})
      expect(plain).toMatchObject({ net: 20, net_formula: null, total: 24, twice: 48 })
      const made = await make({ net_formula: 'hours * rate + 5' })
      expect(made).toMatchObject({ net: 25, net_formula: 'hours * rate + 5', total: 30, twice: 60 })
      const { id } = made
      const read = async () => (await send('GET', `${at}/${id}`)).body.data
      expect((await send('PATCH', `${at}/${id}`, { hours: 3 })).body.data).toMatchObject({
        net: 35,
        total: 42,
      })
      expect(await read()).toMatchObject({ net: 35, total: 42, twice: 84 })
      expect((await send('PATCH', `${at}/${id}`, { total_formula: 'net' })).body.data).toMatchObject({
        net: 35,
        total: 35,
      })
      // A declared formula reads what the record says: it comes after.
      expect(
        (await send('PATCH', `${at}/${id}`, { net_formula: 'rate', total_formula: null })).body.data,
      ).toMatchObject({ net: 10, total: 12 })
      const names = async (query: string) =>
        (await send('GET', `${at}?${query}`)).body.data.items.map((one: any) => one.id)
      expect(await names('filter[net_formula][null]=false')).toEqual([id])
      expect(await names('filter[total]=12')).toEqual([id])
      expect((await send('GET', `${at}?filter[net_formula]=rate`)).status).toBe(400)
      expect(faultsOf(await send('PATCH', `${at}/${id}`, { net: 4 })) ?? 'warned').toBeTruthy()
      expect((await read()).net).toBe(10)
      expect((await send('PUT', `${at}/${id}`, { bike: 'c', hours: 1, rate: 1 })).body.data).toMatchObject({
        net: 1,
        net_formula: null,
      })
      const audit = (await send('GET', `${at}/${id}/audit`)).body.data.items
      expect(audit[0].changes.net_formula).toEqual({ from: 'rate', to: null })
      const versions = (await send('GET', `${at}/${id}/versions`)).body.data.items
      expect(versions[0].data).toMatchObject({ net_formula: 'rate', net: 10 })
      const reverted = await send('POST', `${at}/${id}/revert`, { version: versions[0].version })
      expect(reverted.body.data).toMatchObject({ net_formula: 'rate', net: 10 })
      const bulk = await send('POST', `${at}/bulk`, {
        items: [{ bike: 'x', net_formula: '7' }, { bike: 'y' }],
      })
      expect(bulk.status).toBeLessThan(300)
      expect((await send('GET', `${at}?filter[net]=7`)).body.data.items).toHaveLength(1)
      const header = async (query: string) =>
        String((await send('GET', `${at}/export${query}`)).body).split('\n')[0]
      expect(await header('')).not.toContain('_formula')
      expect(await header('?fields=bike,net_formula')).toContain('net_formula')
      const schema = (await send('GET', '/api/v1/domains/stand/schema')).body.data.resources.Sheet.fields
      expect([schema.net.overridable, schema.net_formula.formulaOf, schema.twice.overridable]).toEqual([
        true,
        'net',
        undefined,
      ])
    })

    it('[11.3] refuses what is no formula, with the rule `expression`', async () => {
      const { id } = await make({})
      for (const [field, source] of [
        ['net_formula', 'hours *'],
        ['net_formula', ''],
        ['net_formula', `1${' '.repeat(10_000)}`],
        ['net_formula', `${'('.repeat(10_000)}1${')'.repeat(10_000)}`.slice(0, 10_000)],
        ['net_formula', 'hourz + 1'],
        ['net_formula', 'nothing(hours)'],
        ['net_formula', 'bike'],
        ['net_formula', 'hours > 1'],
        ['title_formula', 'hours'],
        ['due_formula', 'bike'],
        ['net_formula', 'user.id'],
        ['net_formula', "hasRole('admin') ? 1 : 2"],
        ['net_formula', 'net + 1'],
        ['net_formula', 'total + 1'],
        ['net_formula', 'twice'],
        ['net_formula', 'net_formula'],
        ['net_formula', 'hiddenNote'],
        ['net_formula', "lookup('Sheet', bike, 'hours')"],
      ]) {
        const answer = await send('PATCH', `${at}/${id}`, { [field!]: source })
        expect([String(source).slice(0, 40), answer.status, faultsOf(answer)]).toEqual([
          String(source).slice(0, 40),
          422,
          [`${field} expression`],
        ])
      }
      expect((await send('GET', `${at}/${id}`)).body.data).toMatchObject({ net: 20, net_formula: null })
      expect(
        faultsOf(await send('POST', at, { bike: 'b', net_formula: 'total', total_formula: 'hours' })),
      ).toBe(undefined)
      expect(
        faultsOf(await send('POST', at, { bike: 'b', net_formula: 'total', total_formula: 'net' })),
      ).toEqual(['net_formula expression', 'total_formula expression'])
      // A result that does not fit is null.
      expect((await send('PATCH', `${at}/${id}`, { net_formula: '1 / 0' })).body.data.net).toBe(null)
    })

    it('[11.4] refuses a chain that is deeper than maxDepth', async () => {
      const { id } = await make({})
      expect(
        (await send('PATCH', `${at}/${id}`, { title_formula: "twice > 1 ? 'a' : 'b'" })).body.errors?.[0]
          ?.rule,
      ).toBe('expression')
      expect(
        (await send('PATCH', `${at}/${id}`, { title_formula: "total > 1 ? 'a' : 'b'" })).body.data.title,
      ).toBe('a')
    })

    it('[11.6] an override names what its writer may read, and tells nobody of what they may not', async () => {
      const { id } = await make({ secret: 3 })
      expect(
        faultsOf(await send('PATCH', `${at}/${id}`, { net_formula: 'secret * 2' }, clerk.token)),
      ).toEqual(['net_formula expression'])
      const title = await send('PATCH', `${at}/${id}`, { title_formula: "'x'" }, clerk.token)
      expect(title.body.data?.title_formula ?? null).toBe(null)
      expect((await send('PATCH', `${at}/${id}`, { net_formula: 'secret * 2' })).body.data).toMatchObject({
        net: 6,
        total: expect.closeTo(7.2),
      })
      const seen = (await send('GET', `${at}/${id}`, undefined, clerk.token)).body.data
      expect(seen).toMatchObject({ net: null, total: null })
      const found = await send('GET', `${at}?filter[net]=6`, undefined, clerk.token)
      expect(found.body.warnings?.length ?? 0).toBeGreaterThan(0)
      const listed = (await send('GET', `${at}?fields=net`, undefined, clerk.token)).body.data.items.find(
        (one: any) => one.id === id,
      )
      expect(listed.net).toBe(null)
      await send('PATCH', `${at}/${id}`, { net_formula: 'hours' }, clerk.token)
      expect((await send('GET', `${at}/${id}`, undefined, clerk.token)).body.data.net).toBe(2)
    })

    it('[10.5] a rename is carried into overrides; a column that one reads is not deleted', async () => {
      await send('POST', `${at}/columns`, { name: 'extra', type: 'decimal', default: 4 })
      const { id } = await make({ net_formula: "hours + extra + (bike == 'extra' ? 1 : 0)", extra: 5 })
      const refused = await send('DELETE', `${at}/columns/extra`)
      expect([refused.status, refused.body.error_code, refused.body.error_message]).toEqual([
        409,
        'REFERENCED',
        expect.stringContaining("'net_formula' of 1 record"),
      ])
      await send('PATCH', `${at}/columns/extra`, { name: 'more' })
      const renamed = (await send('GET', `${at}/${id}`)).body.data
      expect(renamed).toMatchObject({ net: 7, more: 5 })
      expect(renamed.net_formula).toContain('more')
      expect(renamed.net_formula).toContain("'extra'")
      expect((await send('PATCH', `${at}/${id}`, { more: 6 })).body.data.net).toBe(8)
      await send('PATCH', `${at}/${id}`, { net_formula: null })
      expect((await send('DELETE', `${at}/columns/more`)).status).toBe(204)
    })

    it('[10.5] a column that gets a word of the language for its name is still read', async () => {
      await send('POST', `${at}/columns`, { name: 'word', type: 'decimal', default: 4 })
      await send('POST', `${at}/columns`, { name: 'doubled', type: 'decimal', expression: 'word * 2' })
      const { id } = await make({ net_formula: 'word + (record.word > 0 ? 1 : 0)' })
      let from = 'word'
      for (const name of ['not', 'And', 'true', 'user', 'record', 'plain']) {
        expect((await send('PATCH', `${at}/columns/${from}`, { name })).status, name).toBe(200)
        const { net, doubled } = (await send('PATCH', `${at}/${id}`, { [name]: 5 })).body.data
        expect([name, net, doubled]).toEqual([name, 6, 10])
        from = name
      }
      expect((await send('DELETE', `${at}/columns/plain`)).status).toBe(409)
      await send('PATCH', `${at}/${id}`, { net_formula: null })
      for (const name of ['doubled', 'plain']) await send('DELETE', `${at}/columns/${name}`)
    })

    it('[10.5] a version whose formula cannot be read any more comes back without it', async () => {
      await send('POST', `${at}/columns`, { name: 'brief', type: 'decimal', default: 4 })
      const { id } = await make({ hours: 3, net_formula: 'brief * 2' })
      await send('PATCH', `${at}/${id}`, { hours: 1, net_formula: null })
      await send('DELETE', `${at}/columns/brief`)
      const { status, body } = await send('POST', `${at}/${id}/revert`, { version: 1 })
      expect([status, body.data]).toMatchObject([200, { hours: 3, net: 30, net_formula: null }])
      expect(body.warnings).toMatchObject([{ message: expect.stringContaining("'net'") }])
    })

    it('[10.5] refuses a name with which a formula would be too long', async () => {
      await send('POST', `${at}/columns`, { name: 'a', type: 'decimal', default: 1 })
      const net_formula = `sum([${Array(900).fill('a').join(', ')}])`
      const { id } = await make({ net_formula })
      const refused = await send('PATCH', `${at}/columns/a`, { name: 'a'.repeat(60) })
      expect([refused.status, faultsOf(refused)]).toEqual([422, ['name expression']])
      expect(refused.body.errors[0].message).toContain("'net_formula'")
      expect((await send('PATCH', `${at}/${id}`, { a: 2 })).body.data.net).toBe(1800)
      await send('PATCH', `${at}/${id}`, { net_formula: null })
      await send('DELETE', `${at}/columns/a`)
    })

    it('[10.5] follows a column that is named in quotes', async () => {
      await send('POST', `${at}/columns`, { name: 'quoted', type: 'decimal', default: 4 })
      const { id } = await make({
        net_formula: "record['quoted'] + field('quoted') + (hasField('quoted') ? 1 : 0)",
      })
      expect((await send('DELETE', `${at}/columns/quoted`)).body.error_code).toBe('REFERENCED')
      expect((await send('PATCH', `${at}/columns/quoted`, { name: 'cited' })).status).toBe(200)
      expect((await send('PATCH', `${at}/${id}`, { cited: 5 })).body.data.net).toBe(11)
      expect((await send('DELETE', `${at}/columns/cited`)).body.error_code).toBe('REFERENCED')
      await send('PATCH', `${at}/${id}`, { net_formula: null })
      await send('DELETE', `${at}/columns/cited`)
    })

    it('[11.3] refuses a column that formulas ask for by name and that reads what they make', async () => {
      const { id } = await make({ net_formula: "hasField('late') ? 1 : 2" })
      const late = { name: 'late', type: 'decimal', expression: 'net + 1' }
      expect(faultsOf(await send('POST', `${at}/columns`, late))).toEqual(['expression expression'])
      expect((await send('POST', `${at}/columns`, { ...late, name: 'early' })).status).toBe(201)
      expect(faultsOf(await send('PATCH', `${at}/columns/early`, { name: 'late' }))).toEqual([
        'name expression',
      ])
      await send('PATCH', `${at}/${id}`, { net_formula: null })
      await send('DELETE', `${at}/columns/early`)
    })

    it('11.8: a column with an expression is a stored computed field, which no record overrides', async () => {
      const column = (body: object, token = mechanic.token) =>
        send('POST', `${at}/columns`, { type: 'decimal', ...body }, token)
      const { id } = await make({ hours: 3, net_formula: 'rate * 10', secret: 6 })
      const made = await column({ name: 'tax', expression: 'net * 0.5', label: 'Tax' })
      expect([made.status, made.body.data]).toMatchObject([201, { expression: 'net * 0.5', default: null }])
      const read = async () => (await send('GET', `${at}/${id}`)).body.data
      expect(await read()).toMatchObject({ net: 100, tax: 50 })
      expect((await read()).tax_formula).toBe(undefined)
      await column({ name: 'due2', type: 'string', expression: "tax > 60 ? 'high' : 'low'" })
      const changed = (await send('PATCH', `${at}/${id}`, { rate: 20, tax: 1 })).body.data
      expect(changed).toMatchObject({ net: 200, tax: 100, due2: 'high' })
      const [entry] = (await send('GET', `${at}/${id}/audit`)).body.data.items
      expect(entry.changes).toMatchObject({ tax: { from: 50, to: 100 }, due2: { from: 'low', to: 'high' } })
      const found = await send('GET', `${at}?filter[tax]=100&sort=-tax`)
      expect(found.body.data.items.map((one: any) => one.id)).toEqual([id])
      for (const expression of [
        'net *',
        '',
        'nowhere + 1',
        'bike',
        'user.id',
        'hiddenNote',
        'net_formula',
        `1${' '.repeat(10_000)}`,
        'total + 1 + tax + due2',
      ])
        expect([expression, faultsOf(await column({ name: 'bad', expression }))]).toEqual([
          expression,
          ['expression expression'],
        ])
      // net, total and one more are three, which is as deep as it goes here.
      expect((await column({ name: 'deep3', expression: 'total * 2' })).status).toBe(201)
      expect(faultsOf(await column({ name: 'deep4', expression: 'deep3 * 2' }))).toEqual([
        'expression expression',
      ])
      expect(faultsOf(await column({ name: 'x', expression: 'hours', default: 3 }))).toEqual([
        'default expression',
      ])
      expect(faultsOf(await send('PATCH', `${at}/columns/tax`, { expression: 'hours' }))).toEqual([
        'expression immutable',
      ])
      expect(faultsOf(await send('PATCH', `${at}/columns/tax`, { default: 3 }))).toEqual([
        'default expression',
      ])
      // An override of what it reads may not read it in turn.
      expect(faultsOf(await send('PATCH', `${at}/${id}`, { net_formula: 'tax + 1' }))).toEqual([
        'net_formula expression',
      ])
      const refused = await send('DELETE', `${at}/columns/tax`)
      expect([refused.status, refused.body.error_code, refused.body.error_message]).toEqual([
        409,
        'REFERENCED',
        expect.stringContaining("'due2'"),
      ])
      expect((await send('PATCH', `${at}/columns/tax`, { name: 'levy' })).body.data).toMatchObject({
        name: 'levy',
        expression: 'net * 0.5',
      })
      expect((await send('GET', `${at}/columns/due2`)).body.data.expression).toContain('levy > 60')
      expect((await send('PATCH', `${at}/${id}`, { rate: 11 })).body.data).toMatchObject({
        levy: 55,
        due2: 'low',
      })
      // Who may not read all that it reads gets it worked out from the rest, and finds nothing by it.
      await column({ name: 'shut', expression: 'secret * 2' })
      expect((await read()).shut).toBe(12)
      expect((await send('GET', `${at}/${id}`, undefined, clerk.token)).body.data.shut).toBe(null)
      const narrowed = await send('GET', `${at}?filter[shut]=12`, undefined, clerk.token)
      expect(narrowed.body.warnings?.length ?? 0).toBeGreaterThan(0)
      const content = DEFINITION.replace('        secret: decimal\n', '')
        .replace('          secret: { read: [mechanic], write: [mechanic] }\n', '')
        .replace("'1'", "'2'")
      const body = { content, allow_destructive: true }
      const submitted = await send('POST', '/api/v1/domains', body, server().admin)
      expect([submitted.status, submitted.body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(submitted.body.errors[0].message).toContain('secret')
      const schema = (await send('GET', '/api/v1/domains/stand/schema')).body.data.resources.Sheet.fields
      expect(schema.levy).toMatchObject({ dynamic: true, computed: true })
      expect(schema.levy.overridable).toBe(undefined)
      for (const name of ['due2', 'levy', 'deep3', 'shut'])
        expect([name, (await send('DELETE', `${at}/columns/${name}`)).status]).toEqual([name, 204])
    })

    it('[11.2] giving up overrides is destructive, and works the declared formulas out again', async () => {
      const { id } = await make({ net_formula: '99' })
      const content = DEFINITION.replace(
        'overridable: [net, total, title, due]',
        'overridable: [total, title, due]',
      ).replace("'1'", "'2'")
      const refused = await send('POST', '/api/v1/domains', { content }, server().admin)
      expect([refused.status, refused.body.error_code]).toEqual([422, 'DESTRUCTIVE_MIGRATION'])
      expect(
        (await send('POST', '/api/v1/domains', { content, allow_destructive: true }, server().admin)).status,
      ).toBe(201)
      expect((await send('GET', `${at}/${id}`)).body.data).toMatchObject({ net: 20, total: 24 })
    })
  })
}
