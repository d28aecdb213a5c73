import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { deskOf, OPEN } from './desk.ts'

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Folder:
      object: { name: string, isKept: { type: boolean, default: false } }
      permissions: ${OPEN}
    Paper:
      features: { softDelete: true, import: true, audit: true }
      history: { events: { made: { on: create, label: made } } }
      object:
        title: { type: string, required: true, maxLength: 20 }
        code: { type: string, unique: true }
        pages: integer
        limit: integer
        secret: string
        createdById: uuid
        status: { type: string, enum: [draft, done] }
        deletedAt: datetime
      stateMachine:
        field: status
        initial: draft
        states:
          draft: { transitions: { finish: { to: done, guards: [boss], requiredFields: [pages] } } }
          done: {}
      relationships:
        folder: { type: belongsTo, target: Folder, onDelete: cascade }
      permissions:
        list: ['*']
        get: ['*']
        create: ['*']
        update: [boss, authenticated]
        delete: ['*']
        fields: { secret: { read: [boss], write: ['*'] } }
  rules:
    tooLong:
      trigger: { resource: Paper, on: [create, update, transition] }
      condition: pages > 100
      action: reject
      message: { en: 'No more than 100 pages, not {pages}', de: 'Höchstens 100 Seiten, nicht {pages}' }
      messageData: { most: 100, pages: $record.pages, title: '$(upper(title))' }
      regulation: Paper act, 3
      group: size
    unclear:
      trigger: { resource: Paper, on: create }
      condition: pages > limit
      action: reject
      message: Over its own limit
      priority: 200
    long:
      trigger: { resource: Paper, on: [create, update] }
      condition: pages > 50
      action: warn
      message: '{title} is long'
      regulation: House style
    kept:
      trigger: { resource: Paper, on: delete, condition: "status != 'done'" }
      condition: pages == 7
      action: reject
      message: This one stays
      severity: warning
    noted:
      trigger: { resource: Paper, on: [create, update, delete] }
      condition: pages > 40
      action: log
      message: noted
      history: true
    unmatched:
      trigger: { resource: Paper, on: create }
      condition: secret matches '^(a+)+$'
      action: reject
      message: No such secret
`

for (const store of STORES) {
  describe(`what rules refuse and say on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const desk = deskOf(server, 'shop')
    const { send } = desk
    const count = async () => (await send('GET', '/papers/count')).body.data.total as number
    const paper = async (values: object) => {
      const { body } = await send('POST', '/papers', { title: 'x', ...values })
      await desk.heard()
      return body.data.id as string
    }
    const TOO_LONG = { rule: 'tooLong', regulation: 'Paper act, 3', severity: 'error', group: 'size' }

    it('B1: severity is error, warning and info of what rejects, warns and logs', async () => {
      const { body } = await server().request('GET', '/api/v1/shop/rules', { token: server().admin })
      const of = (name: string) => body.data.items.find((one: { name: string }) => one.name === name)
      expect([of('tooLong').severity, of('long').severity, of('noted').severity]).toEqual([
        'error',
        'warning',
        'info',
      ])
      expect(of('kept')).toMatchObject({ severity: 'warning', priority: 100, regulation: null, group: null })
      expect(of('kept')).toMatchObject({ history: false, messageData: {}, dependsOn: [], enabled: true })
    })

    it('B3: what refuses by itself comes first, and DUPLICATE alone later', async () => {
      const worker = await server().account(`worker-${store.name}`)
      const long = { title: 'x', pages: 101 }
      const code = async (...request: Parameters<typeof send>) => (await send(...request)).body.error_code
      expect(await code('POST', '/papers', { ...long, title: 'x'.repeat(21) })).toBe('VALIDATION_ERROR')
      const folderId = '00000000-0000-7000-8000-000000000000'
      expect(await code('POST', '/papers', { ...long, folderId })).toBe('VALIDATION_ERROR')
      const id = await paper({ code: 'b3' })
      expect(await code('PATCH', `/papers/${id}`, long)).toBe('UNAUTHORIZED')
      const { token } = worker
      expect(await code('PATCH', `/papers/${id}`, { ...long, status: 'gone' }, token)).toBe(
        'VALIDATION_ERROR',
      )
      expect(await code('POST', `/papers/${id}/transitions/finish`, { pages: 101 }, token)).toBe(
        'GUARD_FAILED',
      )
      const boss = await server().account(`boss-${store.name}`, ['boss'])
      expect(await code('POST', `/papers/${id}/transitions/finish`, {}, boss.token)).toBe('REQUIRED_FIELD')
      expect(await desk.heard()).toEqual([])
      expect(await code('POST', '/papers', { ...long, code: 'b3' })).toBe('RULE_VIOLATION')
      expect(await desk.heard()).toEqual(['tooLong rejected'])
      expect(await code('POST', '/papers', { title: 'x', pages: 60, code: 'b3' })).toBe('DUPLICATE')
      expect(await desk.heard()).toEqual([])
    })

    it('B3: trigger.condition decides whether a rule is asked', async () => {
      const boss = await server().account(`boss2-${store.name}`, ['boss'])
      const open = await paper({ pages: 7 })
      expect((await send('DELETE', `/papers/${open}`)).status).toBe(422)
      await send('POST', `/papers/${open}/transitions/finish`, {}, boss.token)
      expect((await send('DELETE', `/papers/${open}`)).status).toBe(204)
      await desk.heard()
    })

    it('B5: a condition that is null fires nothing; of a rule that rejects the log keeps it as undecided', async () => {
      const { status, body } = await send('POST', '/papers', { title: 'x', pages: 5 })
      expect([status, body.warnings]).toEqual([201, undefined])
      const [entry] = (await desk.log()).slice(-1)
      expect(entry).toMatchObject({ rule: 'unclear', outcome: 'undecided', action: 'reject', op: 'create' })
      expect(entry!['recordId']).toBe(body.data.id)
      await desk.heard()
    })

    it('B5: what cannot be worked out fires where the rule rejects', async () => {
      const secret = 'a'.repeat(300_000)
      expect((await send('POST', '/papers', { title: 'x', pages: 1, limit: 2, secret: 'b' })).status).toBe(
        201,
      )
      const { status, body } = await send('POST', '/papers', { title: 'x', pages: 1, limit: 2, secret })
      expect([status, body.data?.rule]).toEqual([422, 'unmatched'])
      await desk.heard()
    })

    it('B6: a reject answers 422 RULE_VIOLATION, and nothing of the write is left', async () => {
      const before = await count()
      const { status, body } = await send('POST', '/papers', { title: 'x', pages: 101 })
      expect([status, body.error_code, body.error_message]).toEqual([
        422,
        'RULE_VIOLATION',
        'No more than 100 pages, not 101',
      ])
      expect(body.data).toEqual({ ...TOO_LONG, messageData: { most: 100, pages: 101, title: 'X' } })
      expect(await count()).toBe(before)
      expect(await desk.heard()).toEqual(['tooLong rejected'])
    })

    it("B6: the message is in the caller's language", async () => {
      const headers = { 'accept-language': 'de' }
      const { body } = await server().request('POST', '/api/v1/shop/papers', {
        body: { title: 'x', pages: 101 },
        headers,
      })
      expect(body.error_message).toBe('Höchstens 100 Seiten, nicht 101')
      expect(body._meta).toMatchObject({ localeResolved: 'de' })
      await desk.heard()
    })

    it.each(['bulk', 'import', 'upsert'])(
      'B6: in %s the row fails alone, with the same data',
      async (kind) => {
        const items = [
          { title: 'fine', pages: 60, limit: 100, code: `${kind}1`, secret: 's' },
          { title: 'long', pages: 101, limit: 200, code: `${kind}2`, secret: 's' },
          { title: 'last', pages: 1, limit: 2, code: `${kind}3`, secret: 's' },
        ]
        const path = kind === 'import' ? '/papers/import' : '/papers/bulk'
        const sent = kind === 'upsert' ? { items, upsert: true, conflict: ['code'] } : items
        const { status, body } = await send('POST', path, sent)
        expect([status, body.data.created, body.data.failed]).toEqual([201, 2, 1])
        expect(body.data.errors).toEqual([
          {
            index: 1,
            error_code: 'RULE_VIOLATION',
            error_message: 'No more than 100 pages, not 101',
            data: { ...TOO_LONG, messageData: { most: 100, pages: 101, title: 'LONG' } },
          },
        ])
        expect(body.warnings).toEqual([
          { rule: 'long', message: 'fine is long', regulation: 'House style', severity: 'warning', index: 0 },
        ])
        expect((await desk.heard()).toSorted()).toEqual(['long warned', 'noted logged', 'tooLong rejected'])
      },
    )

    it('B6: a child that a cascade may not take refuses the whole delete', async () => {
      const folder = (await send('POST', '/folders', { name: 'x' })).body.data.id
      await paper({ folderId: folder, pages: 1 })
      await paper({ folderId: folder, pages: 7 })
      const { status, body } = await send('DELETE', `/folders/${folder}`)
      expect([status, body.error_code, body.error_message]).toEqual([422, 'RULE_VIOLATION', 'This one stays'])
      expect((await send('GET', `/folders/${folder}`)).status).toBe(200)
      const left = await send('GET', `/papers?filter[folderId]=${folder}`)
      expect(left.body.data.count).toBe(2)
      expect(await desk.heard()).toEqual(['kept rejected'])
    })

    it('B6: a warn adds to the warnings of the answer; a 204 has none', async () => {
      const { status, body } = await send('POST', '/papers', {
        title: 'Big',
        pages: 60,
        limit: 90,
        secret: 's',
      })
      expect([status, body.warnings]).toEqual([
        201,
        [{ rule: 'long', message: 'Big is long', regulation: 'House style', severity: 'warning' }],
      ])
      const gone = await send('DELETE', `/papers/${body.data.id}`)
      expect([gone.status, gone.body]).toEqual([204, undefined])
      expect(await desk.heard()).toEqual(['long warned', 'noted logged', 'noted logged'])
    })

    it('B6: of the warnings a hundred are shown, and one that counts the rest', async () => {
      const items = Array.from({ length: 103 }, () => ({ title: 'x', pages: 60, limit: 90, secret: 's' }))
      const { body } = await send('POST', '/papers/bulk', items)
      expect(body.warnings).toHaveLength(101)
      expect(body.warnings[99]).toMatchObject({ rule: 'long', index: 99 })
      expect(body.warnings[100]).toMatchObject({ rule: 'more', message: expect.stringContaining('3 more') })
      expect(await desk.heard()).toHaveLength(206)
    })

    it("B7: history puts a firing on the record's timeline", async () => {
      const boss = await server().account(`boss3-${store.name}`, ['boss'])
      const id = await paper({ pages: 45, limit: 90 })
      const { body } = await send('GET', `/papers/${id}/history?event=rule.noted`)
      expect(body.data.items).toMatchObject([{ event: 'rule.noted', label: 'noted', severity: 'info' }])
      await send('PATCH', `/papers/${id}`, { pages: 46 }, boss.token)
      const again = await send('GET', `/papers/${id}/history?event=rule.noted`)
      expect(again.body.data.items[0].actor.username).toBe(`boss3-${store.name}`)
      await desk.heard()
    })

    it('B8: an entry of the log says what, of which record, by whom, and in which request', async () => {
      const { token, id: userId } = await server().account(`clerk-${store.name}`)
      const before = await desk.log()
      const made = await server().request('POST', '/api/v1/shop/papers', {
        body: { title: 'x', pages: 45, limit: 90, secret: 's' },
        token,
        headers: { 'x-request-id': 'the-request' },
      })
      const [entry] = (await desk.log()).slice(before.length)
      expect(entry).toEqual({
        id: expect.any(String),
        rule: 'noted',
        resource: 'Paper',
        recordId: made.body.data.id,
        action: 'log',
        outcome: 'logged',
        severity: 'info',
        regulation: null,
        group: null,
        message: 'noted',
        messageData: {},
        op: 'create',
        transition: null,
        actor: { id: userId, username: `clerk-${store.name}` },
        requestId: made.headers.get('x-request-id'),
        at: expect.any(String),
      })
      await desk.heard()
    })

    it('B8: recordId of a refused create is null, of a refused update it is that of the record', async () => {
      const { token } = await server().account(`clerk2-${store.name}`)
      const id = await paper({ pages: 1, limit: 2 })
      await send('POST', '/papers', { title: 'x', pages: 101, limit: 200 })
      await send('PATCH', `/papers/${id}`, { pages: 101 }, token)
      const entries = (await desk.log('&rule=tooLong')).slice(-2)
      expect(entries.map(({ recordId, op }) => [recordId, op])).toEqual([
        [null, 'create'],
        [id, 'update'],
      ])
      await desk.heard()
    })

    it('B8: what an entry says of a transition', async () => {
      const boss = await server().account(`boss4-${store.name}`, ['boss'])
      const id = await paper({ pages: 1, limit: 2 })
      await send('POST', `/papers/${id}/transitions/finish`, { pages: 101 }, boss.token)
      const [entry] = (await desk.log()).slice(-1)
      expect(entry).toMatchObject({ rule: 'tooLong', op: 'update', transition: 'finish', recordId: id })
      await desk.heard()
    })

    it('B8: a replayed answer fires nothing, and a refused write is judged again', async () => {
      const post = (pages: number, key: string) =>
        server().request('POST', '/api/v1/shop/papers', {
          body: { title: 'x', pages, limit: 900, secret: 's' },
          headers: { 'idempotency-key': key },
        })
      const first = await post(60, 'one')
      const again = await post(60, 'one')
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect(again.body).toEqual(first.body)
      expect(await desk.heard()).toEqual(['long warned', 'noted logged'])
      await post(101, 'two')
      await post(101, 'two')
      expect(await desk.heard()).toEqual(['tooLong rejected', 'tooLong rejected'])
    })
  })
}
