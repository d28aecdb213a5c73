import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecondServer, startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const HEAD = `
domain:
  name: stand
  version: '1'
  resources:
`
const SHEET = `
    StandSheet:
      mode: sheet
      dynamicFields:
        maxColumns: 6
        permissions: { addColumn: [mechanic, admin], renameColumn: [mechanic, admin], deleteColumn: [admin] }
      object:
        bike: { type: string, required: true, maxLength: 40 }
        hours: integer
        ownerId: uuid
        createdAt: datetime
        label: { type: string, computed: "upper(bike)" }
      relationships:
        parts: { type: hasMany, target: Part, foreignKey: standSheetId }
      features: { search: true, export: true, import: true, versioning: true, audit: true, caching: true }
      permissions:
        list: [mechanic, clerk, admin]
        get: [mechanic, clerk, admin]
        create: [mechanic, admin]
        update: [mechanic, admin]
        delete: [admin]
      history:
        events:
          columns: { on: schemaChange, label: '{change} {column} ({previousName}, {type}) by {user.name}' }
          removals: { on: schemaChange, condition: "change == 'deleted'", label: 'gone: {column}', roles: [admin] }
          made: { on: create, label: made }
    Part: { object: { name: string, standSheetId: uuid }, permissions: { list: ['*'], get: ['*'], create: [admin] } }
    Open:
      mode: sheet
      object: { name: string }
      dynamicFields: { enabled: false, allowTypes: [int, text] }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
    Narrow:
      mode: sheet
      object: { code: { type: string, primaryKey: true }, name: string }
      dynamicFields: { allowTypes: [integer], permissions: { addColumn: ['*'] } }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
`
const DEFINITION = HEAD + SHEET

for (const store of STORES) {
  describe(`columns of sheets on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    let mechanic: TestAccount
    let clerk: TestAccount
    let second: SecondServer
    beforeAll(async () => {
      mechanic = await server().account('mia', ['mechanic'])
      clerk = await server().account('cleo', ['clerk'])
      second = await startSecond(server().database, server().clock)
    })
    afterAll(() => second?.stop())

    const at = '/api/v1/stand/stand-sheets'
    const send = (
      method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
      path: string,
      body?: unknown,
      token = mechanic.token,
    ) => server().request(method, path, { token, ...(body !== undefined && { body }) })
    const add = (body: unknown, token?: string) => send('POST', `${at}/columns`, body, token)
    const rulesOf = (answer: { body: any }) =>
      answer.body.errors.map((one: any) => `${one.field} ${one.rule}`)

    it('[10.1] refuses blocks that make no sense, and warns of them without the mode', async () => {
      const check = (block: string) =>
        send(
          'POST',
          '/api/v1/domains/trial/preview',
          { content: `domain:\n  name: trial\n  version: '1'\n  resources:\n    A:\n${block}` },
          server().admin,
        )
      const faults = async (block: string) =>
        (await check(`      mode: sheet\n      object: { a: integer }\n${block}`)).body.errors?.map(
          ({ path }: { path: string }) => path,
        )
      const key = 'domain.resources.A.dynamicFields'
      expect(await faults('      dynamicFields: { allowTypes: [password, integer, token] }')).toEqual([
        `${key}.allowTypes.0`,
        `${key}.allowTypes.2`,
      ])
      expect(await faults('      dynamicFields: { allowTypes: [nothing] }')).toEqual([`${key}.allowTypes.0`])
      for (const maxColumns of [0, 501, 1.5])
        expect(await faults(`      dynamicFields: { maxColumns: ${maxColumns} }`)).toEqual([
          `${key}.maxColumns`,
        ])
      expect(await faults('      dynamicFields: { permissions: { addColumn: [owner] } }')).toEqual([
        `${key}.permissions.addColumn.0`,
      ])
      expect(await faults(`      computedFields: { crossRecord: true }\n`)).toBe(undefined)
      expect(
        await faults('      computedFields: { maxDepth: 1 }\n      computed: { b: a + 1, c: b + 1 }'),
      ).toEqual(['domain.resources.A.computedFields.maxDepth'])
      const plain = await check(
        '      object: { a: integer }\n      dynamicFields: { maxColumns: 5 }\n      computedFields: { maxDepth: 5 }',
      )
      expect(plain.body.warnings.map((one: any) => one.message)).toEqual([
        expect.stringContaining("means nothing without 'mode: sheet'"),
        expect.stringContaining("means nothing without 'mode: sheet'"),
      ])
      const doubted = await check(
        '      mode: sheet\n      object: { a: integer }\n      dynamicFields: { permissions: { addColumn: [everyone, onwer] } }',
      )
      expect(doubted.body.warnings.map((one: any) => one.message)).toEqual([
        expect.stringContaining("'everyone' is taken for the name of a role"),
        expect.stringMatching(/'onwer' is taken .* \(Name roles: there is no owner here\)/),
      ])
    })

    it('[10.1] keeps the columns and answers 404 to changes where they are switched off', async () => {
      const path = '/api/v1/stand/opens/columns'
      expect((await send('GET', path)).body.data).toEqual({ items: [], count: 0, maxColumns: 50 })
      for (const [method, of] of [
        ['POST', path],
        ['PATCH', `${path}/a`],
        ['DELETE', `${path}/a`],
      ] as const)
        expect((await send(method, of, { name: 'a', type: 'integer' }, server().admin)).status).toBe(404)
    })

    it('[10.3] refuses wrong names, types and defaults', async () => {
      for (const name of [
        '_a',
        'a-b',
        '1a',
        '"a"',
        'a"; drop table x',
        'total_formula',
        'A_FORMULA',
        'x__geom',
        'constructor',
        'a'.repeat(64),
        'userId',
        'deletedat',
      ])
        expect(rulesOf(await add({ name, type: 'integer' })), name).toEqual(['name pattern'])
      for (const type of [
        'password',
        'token',
        'autoincrement',
        'slug',
        'blocks',
        'component',
        'repeater',
        'media',
        'svg',
        'geometry',
        'nothing',
      ])
        expect(rulesOf(await add({ name: 'x', type })), type).toEqual(['type enum'])
      expect(rulesOf(await add({ name: 'x', type: 'array', items: 'password' }))).toEqual(['items enum'])
      expect(rulesOf(await add({ name: 'x', type: 'integer', default: 'five' }))).toEqual(['default type'])
      expect(rulesOf(await add({ name: 'x', type: 'integer', max: 4, default: 5 }))).toEqual(['default max'])
      expect(rulesOf(await add({ name: 'x', type: 'string', enum: ['a'], default: 'b' }))).toEqual([
        'default enum',
      ])
      expect(rulesOf(await add({ name: 'x', type: 'boolean', min: 3 }))).toEqual(['min unknown'])
      expect(rulesOf(await add({}))).toEqual(['name required', 'type required'])
      expect(rulesOf(await add({ name: 'x', type: 'integer', unique: true, required: true }))).toEqual([
        'unique unknown',
        'required unknown',
      ])
      expect(rulesOf(await add({ name: 'x', type: 'decimal', expression: 'hours +' }))).toEqual([
        'expression expression',
      ])
      expect(rulesOf(await add({ name: 'x', type: 'decimal', expression: 3 }))).toEqual(['expression type'])
      expect((await add([])).status).toBe(422)
      for (const name of ['bike', 'BIKE', 'label', 'parts', 'id']) {
        const answer = await add({ name, type: 'integer' })
        expect([name, answer.status, answer.body.error_code]).toEqual([name, 409, 'DUPLICATE'])
      }
      const narrow = await send('POST', '/api/v1/stand/narrows/columns', { name: 'x', type: 'text' })
      expect(rulesOf(narrow)).toEqual(['type enum'])
      expect((await send('GET', `${at}/columns`)).body.data.items).toEqual([])
    })

    it('[10.2] adds, reads, changes and deletes a column, for those who may', async () => {
      expect(
        (await server().request('POST', `${at}/columns`, { body: { name: 'a', type: 'integer' } })).status,
      ).toBe(401)
      expect((await add({ name: 'a', type: 'integer' }, clerk.token)).status).toBe(403)
      const { status, body } = await add({
        name: 'torque',
        type: 'decimal',
        label: 'Torque',
        description: 'Nm',
        default: 5,
        min: 0,
        max: 90,
      })
      expect(status).toBe(201)
      const column = {
        name: 'torque',
        type: 'decimal',
        label: 'Torque',
        description: 'Nm',
        default: 5,
        enum: null,
        expression: null,
        min: 0,
        max: 90,
        createdBy: { id: mechanic.id, username: 'mia' },
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      }
      expect(body.data).toEqual(column)
      expect((await send('GET', `${at}/columns`, undefined, clerk.token)).body.data).toEqual({
        items: [column],
        count: 1,
        maxColumns: 6,
      })
      expect((await send('GET', `${at}/columns/torque`, undefined, clerk.token)).body.data).toEqual(column)
      expect((await server().request('GET', `${at}/columns`)).status).toBe(401)
      expect((await send('GET', `${at}/columns/gone`)).status).toBe(404)
      expect(rulesOf(await send('PATCH', `${at}/columns/torque`, { type: 'text', max: 3, size: 1 }))).toEqual(
        ['type immutable', 'max immutable', 'size unknown'],
      )
      expect(rulesOf(await send('PATCH', `${at}/columns/torque`, { default: 91 }))).toEqual(['default max'])
      expect((await send('PATCH', `${at}/columns/torque`, { label: 'Nm' }, clerk.token)).status).toBe(403)
      const changed = await send('PATCH', `${at}/columns/torque`, { label: null, default: 6 })
      expect([changed.status, changed.body.data.label, changed.body.data.default]).toEqual([200, null, 6])
      expect((await send('DELETE', `${at}/columns/torque`)).status).toBe(403)
      const gone = await send('DELETE', `${at}/columns/torque`, undefined, server().admin)
      expect([gone.status, gone.body]).toEqual([204, undefined])
      expect((await send('DELETE', `${at}/columns/torque`, undefined, server().admin)).status).toBe(404)
    })

    it('[10.4] makes a field like any other of it', async () => {
      const old = (await send('POST', at, { bike: 'old', hours: 1 })).body.data
      await add({ name: 'colour', type: 'string', default: 'red', enum: ['red', 'blue', 'green'] })
      await add({ name: 'note', type: 'text' })
      expect((await send('GET', `${at}/${old.id}`)).body.data).toMatchObject({ colour: 'red', note: null })
      const made = await send('POST', at, { bike: 'new', colour: 'blue', note: 'squeaks loudly' })
      expect(made.body.data).toMatchObject({ colour: 'blue', note: 'squeaks loudly' })
      expect(rulesOf(await send('POST', at, { bike: 'x', colour: 'pink', note: 5 }))).toEqual([
        'colour enum',
        'note type',
      ])
      const { id } = made.body.data
      const tagged = await send('GET', `${at}/${id}`)
      const changed = await server().request('PATCH', `${at}/${id}`, {
        token: mechanic.token,
        body: { colour: 'green' },
        headers: { 'if-match': tagged.headers.get('etag') ?? '' },
      })
      expect([changed.status, changed.body.data.colour]).toEqual([200, 'green'])
      expect(changed.headers.get('etag')).not.toBe(tagged.headers.get('etag'))
      const bikes = async (query: string) =>
        (await send('GET', `${at}?${query}`)).body.data.items.map((one: any) => one.bike)
      expect(await bikes('filter[colour]=green')).toEqual(['new'])
      expect(await bikes('filter[colour][in]=green,red&sort=-colour')).toEqual(['old', 'new'])
      expect(await bikes('search=squeaks')).toEqual(['new'])
      expect((await send('GET', `${at}?fields=colour&filter[bike]=old`)).body.data.items[0]).toEqual({
        colour: 'red',
        id: old.id,
      })
      expect((await send('GET', `${at}/distinct/colour`)).body.data.values).toEqual(['green', 'red'])
      const csv = await send('GET', `${at}/export`)
      expect(String(csv.body).split('\n')[0]).toMatch(/bike.*colour,note/)
      const bulk = await send('POST', `${at}/bulk`, {
        items: [{ bike: 'b1', colour: 'blue' }, { bike: 'b2' }],
      })
      expect(bulk.status).toBeLessThan(300)
      expect(await bikes('filter[colour]=blue')).toEqual(['b1'])
      expect(await bikes('filter[colour]=red&sort=bike')).toEqual(['b2', 'old'])
      const audit = (await send('GET', `${at}/${id}/audit`)).body.data.items
      expect(audit[0].changes).toEqual({ colour: { from: 'blue', to: 'green' } })
      const versions = (await send('GET', `${at}/${id}/versions`)).body.data.items
      expect(versions[0].data).toMatchObject({ colour: 'blue', note: 'squeaks loudly' })
      expect((await send('POST', `${at}/${id}/revert`, { version: 1 })).body.data.colour).toBe('blue')
      const schema = (await send('GET', '/api/v1/domains/stand/schema')).body.data.resources.StandSheet.fields
      expect([schema.colour.dynamic, schema.colour.enum, schema.bike.dynamic]).toEqual([
        true,
        ['red', 'blue', 'green'],
        undefined,
      ])
      const openapi = (await server().request('GET', '/api/v1/domains/stand/openapi.json')).body
      expect(openapi.components.schemas.StandSheet.properties).toHaveProperty('colour')
      const documented = openapi.paths['/api/v1/stand/stand-sheets/columns'].post.responses
      expect(Object.keys(documented)).toEqual(expect.arrayContaining(['201', '409', '422']))
    })

    it('[10.4] a definition cannot name a column', async () => {
      const content = DEFINITION.replace(
        'label: { type: string, computed: "upper(bike)" }',
        'label: { type: string, computed: "upper(colour)" }',
      )
      const { status, body } = await send('POST', '/api/v1/domains', { content }, server().admin)
      expect([status, body.errors.length, body.errors[0].path]).toEqual([
        422,
        1,
        'domain.resources.StandSheet.object.label.computed',
      ])
    })

    it('[10.4] another server looks before it calls a name unknown', async () => {
      const there = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) =>
        second.request(method, path, { token: mechanic.token, ...(body !== undefined && { body }) })
      await add({ name: 'w1', type: 'integer' })
      const made = await there('POST', at, { bike: 'far', w1: 7 })
      expect([made.status, made.body.data?.w1]).toEqual([201, 7])
      await send('PATCH', `${at}/columns/w1`, { name: 'w2' })
      const found = await there('GET', `${at}?filter[w2]=7&fields=bike,w2`)
      expect(found.body).toMatchObject({ data: { items: [{ bike: 'far', w2: 7 }] } })
      expect(found.body.warnings ?? []).toEqual([])
      await send('DELETE', `${at}/columns/w2`, undefined, server().admin)
      await expect
        .poll(async () => (await there('GET', `${at}/columns`)).body.data.items.map((one: any) => one.name), {
          timeout: 5000,
        })
        .toEqual(['colour', 'note'])
    })

    it('[10.3] of two servers that add one name one gets 201', async () => {
      const body = { name: 'raced', type: 'integer' }
      const answers = await Promise.all([
        add(body),
        second.request('POST', `${at}/columns`, { token: mechanic.token, body }),
      ])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
      await send('DELETE', `${at}/columns/raced`, undefined, server().admin)
    })

    it('[10.3] one column more than maxColumns is refused', async () => {
      for (const name of ['m3', 'm4', 'm5', 'm6'])
        expect((await add({ name, type: 'integer' })).status).toBe(201)
      expect(rulesOf(await add({ name: 'm7', type: 'integer' }))).toEqual(['name maxColumns'])
      for (const name of ['m3', 'm4', 'm5', 'm6'])
        await send('DELETE', `${at}/columns/${name}`, undefined, server().admin)
    })

    it('[10.4] a column takes no name over that the definition gives to something else', async () => {
      const token = server().admin
      const content = `
domain:
  name: shut
  version: '1'
  resources:
    Sheet:
      mode: sheet
      object: { name: string, hours: decimal }
      computed: { isMarked: { type: boolean, expression: "hasField('opened')", stored: true } }
      permissions: { list: [admin], get: [admin], create: [admin], update: [admin], delete: "hasField('opened')" }
  rules:
    big: { trigger: { resource: Sheet, on: create }, condition: hours > 5, action: warn, message: 'Over {most}', messageData: { most: 5 } }
  views:
    v: { source: Sheet, columns: [name, hours] }
  reports:
    r: { parameters: [{ name: minimum, type: decimal, default: 2 }], sections: [{ table: { view: v, filter: hours >= minimum } }] }
`
      const submit = (text: string) => send('POST', '/api/v1/domains', { content: text }, token)
      expect((await submit(content)).status).toBe(201)
      const sheets = '/api/v1/shut/sheets'
      for (const name of ['opened', 'most', 'minimum'])
        expect(
          (await send('POST', `${sheets}/columns`, { name, type: 'integer', default: 99 }, token)).status,
        ).toBe(201)
      const { body } = await send('POST', sheets, { name: 'A', hours: 9 }, token)
      expect(body.data).toMatchObject({ opened: 99, isMarked: false })
      expect(body.warnings).toMatchObject([{ message: 'Over 5' }])
      expect((await send('DELETE', `${sheets}/${body.data.id}`, undefined, token)).status).toBe(403)
      const report = (await send('GET', '/api/v1/shut/reports/r', undefined, token)).body.data
      expect(report.sections[0].rows ?? report.sections[0].items).toHaveLength(1)
      expect((await submit(content.replace("'1'", "'2'"))).status).toBe(201)
    })

    it('[10.5] a rename keeps values, versions and audit; a deletion takes them for good', async () => {
      await add({ name: 'grip', type: 'string' })
      const { id } = (await send('POST', at, { bike: 'r', grip: 'one' })).body.data
      await send('PATCH', `${at}/${id}`, { grip: 'two' })
      const renamed = await send('PATCH', `${at}/columns/grip`, { name: 'hold' })
      expect([renamed.status, renamed.body.data.name]).toEqual([200, 'hold'])
      expect(rulesOf(await send('PATCH', `${at}/${id}`, { grip: 'x' }))).toEqual(['grip unknown'])
      expect((await send('GET', `${at}/${id}`)).body.data.hold).toBe('two')
      const audited = async () =>
        (await send('GET', `${at}/${id}/audit`)).body.data.items.map((one: any) => one.changes)
      const versioned = async () =>
        (await send('GET', `${at}/${id}/versions`)).body.data.items.map((one: any) => one.data)
      expect((await audited())[0]).toEqual({ hold: { from: 'one', to: 'two' } })
      expect((await versioned())[0].hold).toBe('one')
      // In a ring: the names change places.
      await add({ name: 'other', type: 'string' })
      await send('PATCH', `${at}/${id}`, { other: 'o' })
      await send('PATCH', `${at}/columns/hold`, { name: 'third' })
      await send('PATCH', `${at}/columns/other`, { name: 'hold' })
      await send('PATCH', `${at}/columns/third`, { name: 'other' })
      expect((await send('GET', `${at}/${id}`)).body.data).toMatchObject({ hold: 'o', other: 'two' })
      expect((await versioned())[0]).toMatchObject({ hold: null, other: 'two' })
      expect((await send('PATCH', `${at}/columns/hold`, { name: 'Other' })).status).toBe(409)
      await send('DELETE', `${at}/columns/other`, undefined, server().admin)
      await add({ name: 'other', type: 'string' })
      expect((await send('GET', `${at}/${id}`)).body.data.other).toBe(null)
      for (const changes of await audited()) expect(changes).not.toHaveProperty('other')
      for (const data of await versioned()) expect(data.other ?? null).toBe(null)
      expect((await send('POST', `${at}/${id}/revert`, { version: 1 })).body.data).toMatchObject({
        other: null,
        hold: 'o',
      })
      for (const name of ['other', 'hold'])
        await send('DELETE', `${at}/columns/${name}`, undefined, server().admin)
    })

    it('[10.7] each change is told in the history of the collection, and there alone', async () => {
      await add({ name: 'told', type: 'int' })
      await send('PATCH', `${at}/columns/told`, { name: 'telling' })
      await send('PATCH', `${at}/columns/telling`, { description: 'x' })
      await send('PATCH', `${at}/columns/telling`, { description: 'x' })
      await send('DELETE', `${at}/columns/telling`, undefined, server().admin)
      const list = async (path: string, token = mechanic.token) =>
        (await send('GET', path, undefined, token)).body.data.items as any[]
      // The clock stands still, and ids of two servers do not ascend together.
      const told = (await list(`${at}/history?event=columns&limit=1000`))
        .filter(({ data }) => /^tell|^told/.test(data.column))
        .toReversed()
      expect(told.map(({ label }) => label)).toEqual([
        'added told (, integer) by mia',
        'renamed telling (told, integer) by mia',
        'changed telling (, integer) by mia',
        'deleted telling (, integer) by admin',
      ])
      expect(told[1]).toMatchObject({
        recordId: null,
        event: 'columns',
        actor: { id: mechanic.id, username: 'mia' },
        data: { change: 'renamed', column: 'telling', previousName: 'told', type: 'integer' },
      })
      expect((await list(`${at}/history?event=removals&limit=1`, server().admin))[0].label).toBe(
        'gone: telling',
      )
      expect(await list(`${at}/history?event=removals`)).toEqual([])
      const { id } = (await send('POST', at, { bike: 'h' })).body.data
      expect((await list(`${at}/${id}/history`)).map(({ event }) => event)).toEqual(['made'])
      expect((await send('GET', `${at}/00000000-0000-0000-0000-000000000000/history`)).status).toBe(404)
    })

    it('9.1: each change is an event that is kept, for those who may list the records', async () => {
      const events = async (token?: string) => {
        const path = '/api/v1/domains/stand/events?resource=StandSheet&action=schemaChanged&limit=1000'
        const { body } = await server().request('GET', path, { ...(token !== undefined && { token }) })
        return (body.data?.items as any[] | undefined)?.filter(({ record }) =>
          String(record.column).startsWith('kept'),
        )
      }
      const heard: any[] = []
      const stop = server().kernel.bus.on(
        'svc.stand.stand-sheet.schemaChanged',
        (event) => void heard.push(event),
      )
      await add({ name: 'keptA', type: 'int' })
      await send('PATCH', `${at}/columns/keptA`, { name: 'keptB' })
      await send('DELETE', `${at}/columns/keptB`, undefined, server().admin)
      stop()
      const told = (await events(clerk.token))!
      expect(told.map(({ record }) => record)).toEqual([
        { change: 'added', column: 'keptA', previousName: null, type: 'integer' },
        { change: 'renamed', column: 'keptB', previousName: 'keptA', type: 'integer' },
        { change: 'deleted', column: 'keptB', previousName: null, type: 'integer' },
      ])
      expect(told[1]).toMatchObject({
        resource: 'StandSheet',
        action: 'schemaChanged',
        recordId: null,
        previous: null,
        actor: { id: mechanic.id, username: 'mia' },
      })
      expect(heard.map(({ id }) => id)).toEqual(told.map(({ id }) => id))
      const nobody = await server().account('nobody', [])
      expect((await events(nobody.token)) ?? []).toEqual([])
    })

    it('[10.6] a submit keeps columns, takes one over, and refuses what would hide one', async () => {
      await add({ name: 'kept', type: 'integer', default: 3 })
      await add({ name: 'taken', type: 'integer' })
      const { id } = (await send('POST', at, { bike: 'k', kept: 4, taken: 12 })).body.data
      await send('PATCH', `${at}/${id}`, { taken: 13 })
      const before = (await send('GET', '/api/v1/domains/stand', undefined, server().admin)).body.data
      const exported = (await send('GET', '/api/v1/domains/stand/export', undefined, server().admin)).body
        .data
      expect(exported.dynamicColumns.map((one: any) => [one.resource, one.name, one.type])).toEqual(
        [
          ['colour', 'string'],
          ['note', 'text'],
          ['kept', 'integer'],
          ['taken', 'integer'],
        ].map((one) => ['StandSheet', ...one]),
      )
      expect(exported.source).toBe(DEFINITION)
      expect(before.version).toBe('1')
      const submit = (content: string, more = {}) =>
        send('POST', '/api/v1/domains', { content, ...more }, server().admin)
      const asComputed = await submit(
        DEFINITION.replace('label: {', 'Kept: { type: integer, computed: hours + 1 }\n        label: {'),
      )
      expect([asComputed.status, asComputed.body.errors[0].path]).toEqual([
        422,
        'domain.resources.StandSheet.object.Kept',
      ])
      const asRelationship = await submit(
        DEFINITION.replace(
          'parts: {',
          'kept: { type: hasMany, target: Part, foreignKey: standSheetId }\n        parts: {',
        ),
      )
      expect([asRelationship.status, asRelationship.body.errors[0].path]).toEqual([
        422,
        'domain.resources.StandSheet.relationships.kept',
      ])
      const takes = DEFINITION.replace("version: '1'", "version: '2'").replace(
        'hours: integer',
        'hours: integer\n        taken: text',
      )
      const preview = await send('POST', '/api/v1/domains/stand/preview', { content: takes }, server().admin)
      expect(preview.body.data.steps.map(({ kind }: any) => kind)).toContain('changeColumn')
      expect((await submit(takes)).status).toBe(201)
      expect((await send('GET', `${at}/${id}`)).body.data).toMatchObject({ kept: 4, taken: '13' })
      expect((await send('GET', `${at}/columns`)).body.data.items.map((one: any) => one.name)).toEqual([
        'colour',
        'note',
        'kept',
      ])
      expect((await send('GET', `${at}/${id}/versions`)).body.data.items[0].data.taken).toBe(12)
      const without = takes
        .replace("version: '2'", "version: '3'")
        .replace(
          'mode: sheet\n      dynamicFields:\n        maxColumns',
          'dynamicFields:\n        maxColumns',
        )
      const refused = await submit(without)
      expect([refused.status, refused.body.error_code]).toEqual([422, 'DESTRUCTIVE_MIGRATION'])
      expect(refused.body.data.join()).toContain("'kept' is dropped")
      expect((await submit(without, { allow_destructive: true })).status).toBe(201)
      expect((await send('GET', `${at}/${id}`)).body.data).not.toHaveProperty('kept')
      expect((await send('GET', `${at}/columns`)).status).toBe(404)
      const back = await send(
        'POST',
        '/api/v1/domains/stand/rollback',
        { target_version: '1' },
        server().admin,
      )
      expect(back.status).toBe(200)
      expect((await send('GET', `${at}/columns`)).status).toBe(200)
      expect((await send('GET', `${at}/${id}`)).body.data.bike).toBe('k')
    })
  })
}
