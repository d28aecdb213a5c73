import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

const RESOURCES = {
  Part: {
    object: {
      sku: { type: 'string', required: true, unique: true },
      cost: { type: 'integer', min: 0 },
      note: 'string',
      state: { type: 'string', enum: ['new', 'sold'], default: 'new' },
      asked: { type: 'integer', default: 0 },
      deletedAt: 'datetime',
    },
    features: { softDelete: true },
    stateMachine: {
      field: 'state',
      initial: 'new',
      states: { new: { transitions: { sell: { to: 'sold' } } }, sold: {} },
    },
    permissions: { create: ['*'], list: ['*'], get: ['*'], update: ['admin', 'buyer'], delete: ['admin'] },
  },
  Price: { object: { sku: 'string', amount: 'integer' } },
  Seat: {
    object: { row: 'string', place: 'integer', guest: 'string', deletedAt: 'datetime' },
    indexes: [{ fields: ['row', 'place'], unique: true }],
    features: { softDelete: true },
    permissions: { list: ['*'], delete: ['*'] },
  },
}

for (const store of STORES) {
  describe(`what integrations write on ${store.name}`, () => {
    let sink: Sink
    let server: TestKernel
    let answered: unknown
    beforeAll(async () => {
      const answer = (): SinkAnswer => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(answered),
      })
      sink = await startSink(answer)
      server = await startTestKernel({
        store,
        config: { outbound: { allow_private: ['127.0.0.1'] }, jobs: { enabled: false } },
      })
    })
    afterAll(async () => {
      await server.stop()
      await sink.stop()
    })
    let at = 0
    beforeEach(() => {
      at += 1
    })
    const definitionOf = (operation: object, more: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: RESOURCES,
          integrations: {
            [`prices${at}`]: { type: 'rest', baseUrl: sink.url, ...more, operations: { ask: operation } },
          },
        },
      })
    const submit = (operation: object, more: object = {}) => server.submit(definitionOf(operation, more))
    const refused = async (write: object) => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf({ resource: 'Part', write }) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const send = (method: string, path: string, body?: object) =>
      server.request(method, `/api/v1/shop/${path}`, { token: server.admin, ...(body && { body }) })
    const ask = (body: object = {}) => send('POST', `integrations/prices${at}/operations/ask`, body)
    const part = async (values: object): Promise<string> => (await send('POST', 'parts', values)).body.data.id
    const get = async (id: string) => (await send('GET', `parts/${id}`)).body.data

    it('4.8: what came back is written into the record, by its usual way', async () => {
      await submit({
        resource: 'Part',
        path: '/{sku}',
        write: { mapping: { cost: '$response.cents', note: '{$response.text}' } },
      })
      const id = await part({ sku: `a${at}` })
      answered = { cents: 120, text: 'fresh' }
      const { status, body } = await ask({ recordId: id })
      expect([status, body.data.written]).toEqual([200, [{ resource: 'Part', action: 'update', id }]])
      expect(await get(id)).toMatchObject({ cost: 120, note: 'fresh' })
      answered = { cents: -1, text: 'x' }
      const invalid = await ask({ recordId: id })
      expect([invalid.status, invalid.body.error_code]).toEqual([422, 'VALIDATION_ERROR'])
      expect(invalid.body.errors[0]).toMatchObject({ field: 'cost', rule: 'min' })
      expect(await get(id)).toMatchObject({ cost: 120, note: 'fresh' })
      expect(
        (await send('GET', `integrations/prices${at}/deadletter?recordId=${id}`)).body.data.items,
      ).toMatchObject([{ status: 'pending', error: { code: 'VALIDATION_ERROR' } }])
    })

    it('4.8: null stays null unless it is skipped, and what is required must be there', async () => {
      await submit({
        resource: 'Part',
        write: { mapping: { cost: '$response.cents', note: '$response.note' } },
      })
      const id = await part({ sku: `b${at}`, cost: 5, note: 'old' })
      answered = { note: 'new' }
      await ask({ recordId: id })
      expect(await get(id)).toMatchObject({ cost: null, note: 'new' })
      const mapping = { cost: '$response.cents', note: '$response.note' }
      await submit({ resource: 'Part', write: { mapping, skipNull: true, required: ['cost'] } })
      answered = { cents: 9 }
      await ask({ recordId: id })
      expect(await get(id)).toMatchObject({ cost: 9, note: 'new' })
      answered = {}
      const { status, body } = await ask({ recordId: id })
      expect([status, body.errors]).toEqual([
        422,
        [expect.objectContaining({ field: 'cost', rule: 'mapping' })],
      ])
    })

    it('4.8: upsert finds by fields that are unique together, among records that are not deleted', async () => {
      const mapping = { row: 'A', place: 1, guest: '$response.guest' }
      await submit({ write: { resource: 'Seat', match: ['row', 'place'], mapping } })
      const guests = async () =>
        (await send('GET', 'seats')).body.data.items.map((one: { guest: string }) => one.guest)
      for (const guest of ['ann', 'bob']) {
        answered = { guest }
        expect((await ask()).status).toBe(200)
        expect(await guests()).toEqual([guest])
      }
      const [{ id }] = (await send('GET', 'seats')).body.data.items
      expect((await send('DELETE', `seats/${id}`)).status).toBeLessThan(300)
      answered = { guest: 'cid' }
      expect((await ask()).body.data.written).toMatchObject([{ action: 'create' }])
      expect(await guests()).toEqual(['cid'])
    })

    it('4.8: upsert finds by a unique field, also among many at once, and forEach does each item', async () => {
      await submit({
        write: {
          resource: 'Part',
          match: 'sku',
          forEach: '$response.items',
          when: '$item.cents > 0',
          mapping: { sku: '$item.sku', cost: '$item.cents' },
        },
      })
      const id = await part({ sku: `c${at}` })
      answered = {
        items: [
          { sku: `c${at}`, cents: 7 },
          { sku: `d${at}`, cents: 8 },
          { sku: `e${at}`, cents: 0 },
        ],
      }
      const { body } = await ask()
      expect(body.data.written).toEqual([
        { resource: 'Part', action: 'update', id },
        { resource: 'Part', action: 'create', id: expect.any(String) },
      ])
      expect(await get(id)).toMatchObject({ sku: `c${at}`, cost: 7 })
      answered = { items: [{ sku: `f${at}`, cents: 1 }] }
      const all = await Promise.all(Array.from({ length: 8 }, () => ask()))
      expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
      expect((await send('GET', `parts?filter[sku]=f${at}`)).body.data.count).toBe(1)
      answered = { items: Array.from({ length: 1001 }, () => ({ sku: 'x', cents: 1 })) }
      expect((await ask()).body.errors[0]).toMatchObject({ field: 'forEach', rule: 'mapping' })
    })

    it('4.8: match that finds several is a failure, update, delete and transition that find none, too', async () => {
      await send('POST', 'prices', { sku: `g${at}`, amount: 1 })
      await send('POST', 'prices', { sku: `g${at}`, amount: 2 })
      const write = {
        resource: 'Price',
        action: 'update',
        match: ['sku'],
        mapping: { sku: '$response.sku', amount: 3 },
      }
      await submit({ write })
      answered = { sku: `g${at}` }
      expect((await ask()).body.error_code).toBe('CONFLICT')
      answered = { sku: `nobody${at}` }
      for (const action of ['update', 'delete'])
        await submit({ write: { ...write, action } }).then(async () =>
          expect((await ask()).body.error_code).toBe('NOT_FOUND'),
        )
    })

    it('4.8: delete and transition take the states of the record', async () => {
      const write = [
        { when: '$response.sold', transition: 'sell', mapping: { note: 'gone' } },
        { when: 'not $response.sold', action: 'delete' },
      ]
      await submit({ resource: 'Part', write })
      const id = await part({ sku: `h${at}` })
      answered = { sold: true }
      expect((await ask({ recordId: id })).body.data.written).toEqual([
        { resource: 'Part', action: 'transition', id },
      ])
      expect(await get(id)).toMatchObject({ state: 'sold', note: 'gone' })
      expect((await ask({ recordId: id })).body.error_code).toBe('TRANSITION_DENIED')
      answered = { sold: false }
      expect((await ask({ recordId: id })).body.data.written).toEqual([
        { resource: 'Part', action: 'delete', id },
      ])
      expect((await send('GET', `parts/${id}`)).status).toBe(404)
    })

    it('4.8: all writes of an answer are one transaction', async () => {
      await submit({
        resource: 'Part',
        write: [
          { mapping: { note: 'first' } },
          { resource: 'Part', action: 'create', mapping: { sku: '$response.sku' } },
        ],
      })
      const id = await part({ sku: `i${at}`, note: 'before' })
      answered = { sku: `i${at}` }
      expect((await ask({ recordId: id })).body.error_code).toBe('DUPLICATE')
      expect((await get(id)).note).toBe('before')
    })

    it('4.1: writes are shown as those of the integration, or have the rights of `as`', async () => {
      const write = { mapping: { note: 'written' } }
      const { token } = await server.account(`clerk-${store.name}`, ['clerk'])
      expect(token).toBeDefined()
      const actors: unknown[] = []
      const end = server.kernel.bus.on(
        'svc.shop.part.updated',
        (event) => void actors.push((event as { readonly actor: unknown }).actor),
      )
      await submit({ resource: 'Part', write })
      const own = await part({ sku: `own${at}` })
      await ask({ recordId: own })
      end()
      expect(actors).toMatchObject([{ username: `integration:prices${at}` }])
      await submit({ resource: 'Part', write }, { as: `clerk-${store.name}` })
      const id = await part({ sku: `j${at}` })
      expect((await ask({ recordId: id })).body.error_code).toBe('FORBIDDEN')
      await server.account(`buyer-${store.name}`, ['buyer'])
      await submit({ resource: 'Part', write }, { as: `buyer-${store.name}` })
      expect((await ask({ recordId: id })).status).toBe(200)
      await submit({ resource: 'Part', write }, { as: 'nobody-at-all' })
      expect((await ask({ recordId: id })).body.error_message).toContain('which is no active account')
    })

    it('4.9: what an operation writes to its record does not set it off again, and a chain ends at eight', async () => {
      await submit({
        write: { mapping: { asked: '$($record.asked + 1)' } },
        trigger: { resource: 'Part', event: ['create', 'update'], condition: 'sku == "once"' },
      })
      const id = await part({ sku: 'once' })
      for (let round = 0; round < 3; round++) await server.kernel.callAs(SYSTEM)('jobs.tick', {})
      expect((await get(id)).asked).toBe(1)
      // Each run makes another record, which sets another one off.
      await submit({
        write: {
          resource: 'Price',
          action: 'create',
          mapping: { sku: 'chain', amount: '$($record.amount + 1)' },
        },
        trigger: { resource: 'Price', event: 'create', condition: 'sku == "chain"' },
      })
      await send('POST', 'prices', { sku: 'chain', amount: 1 })
      for (let round = 0; round < 12; round++) await server.kernel.callAs(SYSTEM)('jobs.tick', {})
      const { items } = (await send('GET', 'prices?filter[sku]=chain&sort=amount')).body.data
      expect(items.map(({ amount }: { amount: number }) => amount)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      const letters = (await send('GET', `integrations/prices${at}/deadletter`)).body.data.items
      expect(letters).toMatchObject([{ error: { code: 'CONFLICT' }, attempts: 0 }])
    })

    it('4.8: what cannot be written is refused where it stands', async () => {
      const cases: readonly (readonly [object, string])[] = [
        [{ mapping: { colour: 'red' } }, "'Part' has no field 'colour'"],
        [{ mapping: { cost: 'much' } }, "does not fit 'cost'"],
        [{ resource: 'Nothing', mapping: {} }, "no resource 'Nothing'"],
        [
          { resource: 'Price', action: 'upsert', match: ['sku'], mapping: { sku: 'a' } },
          'Name a unique field',
        ],
        [{ action: 'upsert', mapping: { sku: 'a' } }, 'Name the fields that say which record'],
        [{ match: ['sku'], mapping: { cost: 1 } }, "'mapping' has no 'sku'"],
        [{ transition: 'fly', mapping: {} }, "no transition 'fly'"],
        [{ action: 'transition', mapping: {} }, 'Name the transition'],
        [{ resource: 'Price', action: 'delete' }, 'Name the fields by which'],
        [{ required: ['note'], mapping: { cost: 1 } }, "'mapping' has no 'note'"],
        [{ action: 'create', match: ['sku'], mapping: { sku: 'a' } }, "means nothing with 'action: create'"],
        [{ mapping: { note: '$nothing' } }, 'nothing'],
        [{ action: 'replace', mapping: {} }, 'action'],
      ]
      for (const [write, message] of cases) expect(await refused(write)).toContain(message)
    })
  })
}
