import { type Change, type RecordWrite } from '@svc/domain/contract'
import { errors, SYSTEM } from '@svc/kernel'
import type { Column, Row, Table } from '@svc/store/contract'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { createProbing, type Probe } from './probe.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      probe: { tables: true }
      object:
        title: { type: string, required: true }
        slug: { type: slug, from: title, unique: true }
        qty: { type: integer, default: 1, min: 1 }
        code: { type: string, immutable: true }
        status: { type: string, enum: [open, done] }
        twice: { type: integer, computed: { expression: 'qty * 2', stored: true } }
      stateMachine:
        field: status
        initial: open
        states:
          open: { transitions: { finish: { to: done } } }
          done: {}
      api:
        custom:
          bump: { method: POST, path: '/:id/bump', fields: { qty: 7 } , permissions: ['*'] }
      features: { audit: true }
      relationships:
        lines: { type: hasMany, target: Line, foreignKey: orderId }
        tags: { type: belongsToMany, target: Tag }
      permissions: ${OPEN}
    Line:
      probe: {}
      object: { text: string, cost: integer, deletedAt: datetime }
      features: { softDelete: true, audit: true }
      relationships:
        order: { type: belongsTo, target: Order, onDelete: cascade }
      permissions: { list: ['*'], get: ['*'], create: [boss], update: [boss], delete: [boss], fields: { cost: { read: [boss] } } }
    Tag:
      object: { name: string }
      permissions: ${OPEN}
`
const column = (name: string, kind: Column['kind'] = 'text'): Column => ({ name, kind, nullable: false })
const NOTES: Table = {
  name: 'probe_notes',
  columns: [column('id', 'uuid'), column('text')],
  primaryKey: [column('id', 'uuid')],
  indexes: [],
  foreignKeys: [],
}
const ORDERS = '/api/v1/shop/orders'
const LINES = '/api/v1/shop/lines'

for (const store of STORES) {
  describe(`a block writes on ${store.name}`, () => {
    const probing = createProbing({ notes: NOTES })
    const server = useTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION })
    let boss: TestAccount
    let events: string[] = []

    beforeAll(async () => {
      boss = await server().account('boss', ['boss'])
      server().kernel.bus.on(
        'svc.shop.*',
        (event, name) =>
          void events.push(`${name.split('.').slice(2).join('.')} ${(event as { id: string }).id ? 1 : 0}`),
      )
    })
    afterEach(() => {
      probing.part = {}
      events = []
    })

    const probe = (run: Probe, token?: string, headers: Record<string, string> = {}) => {
      probing.probe = run
      return server().request('POST', `${ORDERS}/probe`, {
        body: {},
        headers,
        ...(token !== undefined && { token }),
      })
    }
    const make = async (body: object = { title: 'one' }) =>
      (await server().request('POST', ORDERS, { body })).body.data as { id: string; slug: string }
    const notes = async () => {
      const answer = await probe((data, call) => data.list(NOTES, { where: [], order: [] }, call))
      return answer.body.data.items.map(({ text }: { text: string }) => text) as string[]
    }
    const note = (text: string, id: string) => ({ table: NOTES, values: { id, text } })

    it('its own record once more, and whoever has changed it hears what comes of that', async () => {
      probing.part = {
        async afterWrite({ kind, resource, key, record }, writes) {
          if (kind === 'delete' || resource.name !== 'Order' || record?.['title'] !== 'small') return
          await writes.record({ kind: 'update', resource, key: key!, values: { title: 'LARGE' } })
        },
      }
      const send = (method: string, path: string, body: object, headers = {}) =>
        server().request(method, `${ORDERS}${path}`, { body, headers })
      const made = await send('POST', '', { title: 'small' })
      const read = await server().request('GET', `${ORDERS}/${made.body.data.id}`)
      expect([made.body.data, made.headers.get('etag')]).toEqual([read.body.data, read.headers.get('etag')])
      const ifMatch = { 'if-match': made.headers.get('etag') }
      const changed = await send('PATCH', `/${made.body.data.id}`, { title: 'small', qty: 2 }, ifMatch)
      expect([changed.status, changed.body.data]).toMatchObject([200, { title: 'LARGE', qty: 2 }])
      const { body } = await send('POST', '/bulk', { items: [{ title: 'small' }, { title: 'other' }] })
      expect(body.data.items.map(({ title }: { title: string }) => title)).toEqual(['LARGE', 'other'])
    })

    it('its own record once more in a savepoint that is undone, and nobody is answered with that', async () => {
      probing.part = {
        async afterWrite({ kind, resource, key, record, depth }, writes) {
          if (kind === 'delete' || resource.name !== 'Order') return
          const write = (title: string) =>
            writes.record({ kind: 'update', resource, key: key!, values: { title } })
          const undone = (title: string) =>
            writes
              .savepoint(async () => {
                await write(title)
                throw errors.CONFLICT()
              })
              .catch(() => undefined)
          if (depth === 0 && record?.['title'] === 'kept') await write('earlier')
          if (depth === 0) await undone('deeper')
          else if (record?.['title'] === 'deeper') await undone('deepest')
        },
      }
      for (const [title, left] of [
        ['small', 'small'],
        ['kept', 'earlier'],
      ] as const) {
        const made = await server().request('POST', ORDERS, { body: { title } })
        const read = await server().request('GET', `${ORDERS}/${made.body.data.id}`)
        expect([made.body.data, made.headers.get('etag')]).toEqual([read.body.data, read.headers.get('etag')])
        expect(made.body.data.title).toBe(left)
      }
      const { body } = await server().request('POST', `${ORDERS}/bulk`, {
        body: { items: [{ title: 'small' }] },
      })
      expect(body.data.items).toMatchObject([{ title: 'small' }])
    })

    it('records and rows of its own in one transaction, by every step of their kinds', async () => {
      const { body } = await probe(async (data, call) => {
        const [order, line] = ['Order', 'Line'].map((name) => data.model.resources.get(name)!)
        const write = (one: object) => one as RecordWrite
        return data.write(call, async (writes) => {
          const made = await writes.record({
            kind: 'create',
            resource: order!,
            values: { title: 'A b', qty: 3 },
          })
          const key = made!['id']!
          const child = await writes.record(
            write({ kind: 'create', resource: line, as: SYSTEM, values: { text: 'x', orderId: key } }),
          )
          const changed = await writes.record({ kind: 'update', resource: order!, key, values: { qty: 4 } })
          const bumped = await writes.record({ kind: 'custom', resource: order!, key, name: 'bump' })
          const moved = await writes.record({ kind: 'transition', resource: order!, key, name: 'finish' })
          const gone = await writes.record({
            kind: 'delete',
            resource: line!,
            key: child!['id']!,
            as: SYSTEM,
          })
          const back = await writes.record({
            kind: 'restore',
            resource: line!,
            key: child!['id']!,
            as: SYSTEM,
          })
          await writes.insert(note('kept', data.model.resources.size === 3 ? String(key) : ''))
          return {
            made,
            changed,
            bumped,
            moved,
            gone: gone ?? null,
            back: back!['deletedAt'],
          } as unknown as Row
        })
      })
      expect(body.data).toMatchObject({
        made: { slug: 'a-b', qty: 3, twice: 6, status: 'open' },
        changed: { qty: 4, twice: 8 },
        bumped: { qty: 7 },
        moved: { status: 'done' },
        gone: null,
        back: null,
      })
      expect(await notes()).toEqual(['kept'])
      expect(events).toEqual([
        // Asked before the operation writes.
        'order.bump 1',
        'order.created 1',
        'line.created 1',
        'order.updated 1',
        'order.updated 1',
        'order.transitioned 1',
        'line.deleted 1',
        'line.restored 1',
      ])
      const audit = await server().request('GET', `${ORDERS}/${body.data.made.id}/audit`)
      expect(audit.body.data.items.map(({ action }: { action: string }) => action)).toEqual([
        'update',
        'update',
        'update',
        'create',
      ])
    })

    it('nothing at all where one of them is refused, and nobody hears of it', async () => {
      const before = await notes()
      const run: Probe = (data, call) =>
        data.write(call, async (writes) => {
          const resource = data.model.resources.get('Order')!
          await writes.insert(note('lost', '00000000-0000-7000-8000-000000000001'))
          await writes.record({ kind: 'create', resource, values: { title: 'lost' } })
          await writes.record({ kind: 'create', resource, values: { title: 'worse', qty: 0 } })
        })
      const { status, body } = await probe(run)
      expect([status, body.error_code]).toEqual([422, 'VALIDATION_ERROR'])
      expect(await notes()).toEqual(before)
      expect(events).toEqual([])
      const lost = await server().request('GET', `${ORDERS}?filter[title]=lost`)
      expect(lost.body.data.count).toBe(0)
    })

    it('with the rights of its caller, unless it says otherwise', async () => {
      const run: Probe = (data, call) =>
        data.write(call, (writes) =>
          writes.record({
            kind: 'create',
            resource: data.model.resources.get('Line')!,
            values: { text: 'x' },
          }),
        )
      expect((await probe(run)).status).toBe(401)
      expect((await probe(run, boss.token)).status).toBe(200)
    })

    it('many records of one made slug at once, each with its own', async () => {
      const run: Probe = (data, call) =>
        data.write(call, async (writes) => {
          const resource = data.model.resources.get('Order')!
          const made = await writes.record({ kind: 'create', resource, values: { title: 'Same name' } })
          return made!['slug']
        })
      const answers = await Promise.all(Array.from({ length: 8 }, () => probe(run)))
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
      expect(new Set(answers.map(({ body }) => body.data)).size).toBe(8)
    })

    it('past what is immutable, checked and ruled, as the system, and into the ledgers', async () => {
      const { id } = await make({ title: 'private', code: 'AB' })
      const heard: Change['kind'][] = []
      probing.part = {
        beforeWrite: ({ kind }) => void heard.push(`before ${kind}`),
        afterWrite: ({ kind }) => void heard.push(`after ${kind}`),
      }
      events = []
      const { body } = await probe((data) =>
        data.write({ caller: SYSTEM }, (writes) =>
          writes.record({
            kind: 'overwrite',
            resource: data.model.resources.get('Order')!,
            key: id,
            values: { code: 'erased', qty: 0, title: '' },
          }),
        ),
      )
      expect(body.data).toMatchObject({ code: 'erased', qty: 0, twice: 0, title: '' })
      expect(heard).toEqual(['after overwrite'])
      expect(events).toEqual([])
      const audit = await server().request('GET', `${ORDERS}/${id}/audit`)
      expect(audit.body.data.items[0].changes.code).toEqual({ from: 'AB', to: 'erased' })
      const asAnybody = await probe((data, call) =>
        data.write(call, (writes) =>
          writes.record({
            kind: 'overwrite',
            resource: data.model.resources.get('Order')!,
            key: id,
            values: { qty: 2 },
          }),
        ),
      )
      expect(asAnybody.status).toBe(500)
    })

    it('once by a key, and answers again what it answered then', async () => {
      const run =
        (of: unknown): Probe =>
        (data, call) =>
          data.write(
            call,
            async (writes) => {
              const resource = data.model.resources.get('Order')!
              const made = await writes.record({ kind: 'create', resource, values: { title: 'by key' } })
              return { id: made!['id'] }
            },
            { once: { name: 'probe', key: 'k1', of } },
          )
      const [first, second] = await Promise.all([probe(run(1)), probe(run(1))])
      const again = await probe(run(1))
      expect(again.body.data).toEqual(first.status === 200 ? first.body.data : second.body.data)
      expect((await probe(run(2))).body.error_code).toBe('IDEMPOTENCY_MISMATCH')
      expect((await server().request('GET', `${ORDERS}?filter[title]=by key`)).body.data.count).toBe(1)
    })

    it('further records in a step, in the transaction of the write, one deeper', async () => {
      const depths: (readonly [string, number, string | undefined])[] = []
      probing.part = {
        async afterWrite(change, writes) {
          depths.push([change.resource.name, change.depth, change.cause?.resource.name])
          if (change.resource.name !== 'Order') return
          const resource = change.resource.relationships.get('lines')!.target
          if (resource.kind !== 'resource') return
          await writes.insert(note('from a step', change.runtime.newId()))
          await writes.record({
            kind: 'create',
            resource: linesOf!,
            as: SYSTEM,
            values: { text: 'auto', orderId: change.key! },
          })
        },
      }
      let linesOf: Change['resource'] | undefined
      await probe((data) => void (linesOf = data.model.resources.get('Line')))
      events = []
      const { id } = await make({ title: 'with a line' })
      expect(depths).toEqual([
        ['Order', 0, undefined],
        ['Line', 1, 'Order'],
      ])
      expect(events).toEqual(['order.created 1', 'line.created 1'])
      const lines = await server().request('GET', `${LINES}?filter[orderId]=${id}`)
      expect(lines.body.data.items).toMatchObject([{ text: 'auto' }])
      expect(await notes()).toContain('from a step')
    })

    it('no further where steps bring about each other without an end', async () => {
      probing.part = {
        afterWrite: async ({ resource }, writes) =>
          void (await writes.record({ kind: 'create', resource, values: { title: 'again' } })),
      }
      const { status, body } = await server().request('POST', ORDERS, { body: { title: 'first' } })
      expect([status, body.error_code]).toEqual([409, 'CONFLICT'])
      expect(body.error_message).toContain('Order > Order')
      probing.part = {}
      expect((await server().request('GET', `${ORDERS}?filter[title]=first`)).body.data.count).toBe(0)
    })

    it('nothing by a transaction inside another, which is refused at once', async () => {
      const began = Date.now()
      const inWork = await probe((data, call) =>
        data.write(call, async () => call.call('svc.shop.order.create', { data: { title: 'inner' } })),
      )
      expect(inWork.status).toBe(500)
      probing.part = {
        afterWrite: async (change) => {
          if (change.resource.name === 'Order')
            await server().kernel.callAs(SYSTEM)('svc.shop.tag.create', { data: { name: 'x' } })
        },
      }
      expect((await server().request('POST', ORDERS, { body: { title: 'outer' } })).status).toBe(500)
      probing.part = {}
      const nested = await probe((data, call) =>
        data.write(call, () => data.write(call, async () => 1)).catch((error: Error) => error.message),
      )
      expect(nested.body.data).toContain('writes.record')
      expect(Date.now() - began).toBeLessThan(5000)
      // Afterwards, and beside it, everything works as before.
      expect((await make({ title: 'later' })).id).toBeTypeOf('string')
    })

    it('and hears of links as changes, in their transaction, where it asks for that', async () => {
      const order = await make({ title: 'tagged' })
      const tag = (await server().request('POST', '/api/v1/shop/tags', { body: { name: 't' } })).body.data
      const heard: unknown[] = []
      probing.part = {
        async afterWrite({ kind, link, key, record, warn }, writes) {
          heard.push([kind, link, key === order.id, record?.['title']])
          warn({ rule: 'heard', message: kind, severity: 'info', regulation: null })
          await writes.insert(note(kind, order.id))
          await writes.remove({ table: NOTES, where: { op: 'eq', column: NOTES.columns[1]!, value: kind } })
        },
      }
      const link = () => server().request('POST', `${ORDERS}/${order.id}/tags`, { body: { tagId: tag.id } })
      const first = await link()
      const again = await link()
      expect([first.status, again.status]).toEqual([200, 200])
      expect(first.body.warnings).toMatchObject([{ rule: 'heard', message: 'linked' }])
      expect(again.body.warnings ?? []).toEqual([])
      await server().request('DELETE', `${ORDERS}/${order.id}/tags/${tag.id}`)
      const about = { relationship: 'tags', key: tag.id }
      expect(heard).toEqual([
        ['linked', about, true, 'tagged'],
        ['unlinked', about, true, 'tagged'],
      ])
      probing.part = {
        beforeWrite: ({ kind }) => {
          if (kind === 'linked') throw new Error('no links today')
        },
      }
      expect((await link()).status).toBe(500)
      probing.part = {}
      expect((await server().request('GET', `${ORDERS}/${order.id}/tags`)).body.data.count).toBe(0)
    })

    it('and may look into a change: the record as it will be, and who asked, on what goes along too', async () => {
      const order = await make({ title: 'parent' })
      await server().request('POST', LINES, {
        token: boss.token,
        body: { text: 'c', cost: 42, orderId: order.id },
      })
      const seen: unknown[] = []
      probing.part = {
        beforeWrite(change) {
          const mayRead = change.asking().readable('cost') !== undefined
          seen.push([
            change.resource.name,
            change.access.caller.kind,
            change.asker.kind,
            mayRead,
            change.cause?.resource.name,
          ])
          if (change.resource.name === 'Order' && change.kind === 'update')
            seen.push([change.next()['twice'], change.previous?.['twice'], change.record])
        },
      }
      await server().request('PATCH', `${ORDERS}/${order.id}`, { body: { qty: 5 } })
      await server().request('DELETE', `${ORDERS}/${order.id}`)
      expect(seen).toEqual([
        ['Order', 'anonymous', 'anonymous', false, undefined],
        [10, 2, null].map((value) => value ?? undefined),
        ['Order', 'anonymous', 'anonymous', false, undefined],
        ['Line', 'system', 'anonymous', false, 'Order'],
      ])
    })

    it('and finds faults before the transaction, told with all others', async () => {
      probing.part = {
        async prepare({ values }, fault) {
          await new Promise((resolve) => setTimeout(resolve, 5))
          if (values['title'] === 'bad') fault({ field: 'title', rule: 'probe', message: 'is bad' })
        },
      }
      const { status, body } = await server().request('POST', ORDERS, { body: { title: 'bad', qty: 0 } })
      expect(status).toBe(422)
      expect(body.errors.map(({ rule }: { rule: string }) => rule).toSorted()).toEqual(['min', 'probe'])
      expect((await server().request('POST', ORDERS, { body: { title: 'good' } })).status).toBe(201)
    })
  })
}
