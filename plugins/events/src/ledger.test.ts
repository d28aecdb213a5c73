import type { Resource } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { useTestKernel } from '../../../test/kit/test-kernel.ts'
import { BEGINNING, comparePlaces, type Place } from './contract.ts'
import { createListening } from './events.testkit.ts'
import { EVENT, tablesOf } from './tables.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  ears:
    - { resource: Order, event: create }
    - { resource: Order, event: fieldChange, field: title }
    - { resource: Order, event: transition, transition: finish }
    - { resource: Order, event: delete }
    - { resource: Order, event: history, history: dear }
  resources:
    Order:
      object:
        title: { type: string, maxLength: 10 }
        cost: integer
        pin: password
        status: { type: string, enum: [open, done, lost] }
      stateMachine:
        field: status
        initial: open
        states: { open: { transitions: { finish: { to: done }, lose: { to: lost } } }, done: {}, lost: {} }
      history: { events: { dear: { on: fieldChange, field: cost, condition: cost > 10, label: Dear } } }
      permissions: ${OPEN}
    Line:
      object: { title: string }
      permissions: ${OPEN}
`
const ORDERS = '/api/v1/shop/orders'
const tables = tablesOf({ name: 'shop' })
const all = { op: 'always' } as const

for (const store of STORES) {
  describe(`the ledger of events on ${store.name}`, () => {
    const listening = createListening()
    const config = { jobs: { enabled: false }, events: { enabled: false } }
    const server = useTestKernel({ store, plugins: [listening.plugin], definition: DEFINITION, config })
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})
    const kept = () => server().kernel.get(StoreCapability).count({ table: tables.events, where: all })
    const send = async (method: 'POST' | 'PATCH' | 'DELETE', path = '', body?: object) =>
      (await server().request(method, `${ORDERS}${path}`, { ...(body && { body }) })).body?.data ?? {}
    const make = async (title: string) => (await send('POST', '', { title })).id as string
    const orders = (): Resource => listening.data().model.resources.get('Order')!
    const rename = (key: string, title: string) =>
      ({ kind: 'update', resource: orders(), key, values: { title } }) as const
    const titles = () => listening.taken.map(({ record }) => record['title'])

    beforeEach(async () => {
      await tick()
      listening.taken.length = 0
      listening.marks.length = 0
      listening.needed = new Map()
    })

    it('keeps what a reader listens to, with all that is known of it, and nothing else', async () => {
      const before = await kept()
      await server().request('POST', '/api/v1/shop/lines', { body: { title: 'quiet' } })
      const id = (await send('POST', '', { title: 'one', cost: 5, pin: 'geheim12' })).id as string
      await send('PATCH', `/${id}`, { cost: 6 })
      await send('PATCH', `/${id}`, { cost: 20 })
      await send('POST', `/${id}/transitions/finish`)
      await send('DELETE', `/${id}`)
      const lost = await make('two')
      await send('POST', `/${lost}/transitions/lose`)
      expect(await kept()).toBe(before + 5)
      await tick()
      const shown = listening.taken.map(({ events, transition, fields, history }) => [
        events,
        transition,
        fields,
        history,
      ])
      expect(shown).toEqual([
        [['create'], null, [], []],
        [['update', 'fieldChange', 'history'], null, ['cost'], ['dear']],
        [['update', 'transition', 'fieldChange'], 'finish', ['status'], []],
        [['delete'], null, [], []],
        [['create'], null, [], []],
      ])
      const [created, changed, , gone] = listening.taken
      expect(changed).toMatchObject({
        resource: 'Order',
        recordId: id,
        record: { id, title: 'one', cost: 20, status: 'open' },
        previous: { id, title: 'one', cost: 6, status: 'open' },
        actor: { id: null, username: null },
        depth: 0,
        origin: null,
      })
      expect(created?.previous).toBeNull()
      expect(created?.record).not.toHaveProperty('pin')
      expect(gone?.record).toMatchObject({ title: 'one', status: 'done' })
    })

    it('keeps of a record as it was its key and what the record has no more', async () => {
      const id = await make('one')
      await send('PATCH', `/${id}`, { title: 'two' })
      await send('DELETE', `/${id}`)
      const rows = await server()
        .kernel.get(StoreCapability)
        .select({
          table: tables.events,
          columns: [EVENT.record, EVENT.previous],
          where: { op: 'eq', column: EVENT.recordId, value: id },
          order: [{ column: EVENT.number, descending: false }],
        })
      expect(rows.map(({ previous }) => previous)).toEqual([null, { id, title: 'one' }, { id }])
      expect(rows.at(-1)?.['record']).toMatchObject({ title: 'two' })
      await tick()
      expect(listening.taken.map(({ previous }) => previous?.['title'])).toEqual([undefined, 'one', 'two'])
    })

    it('makes up no batch where the store commits in the order of numbers, but for what an earlier version left', async () => {
      const database = server().kernel.get(StoreCapability)
      const isOrdered = database.features.has('ordered')
      const ledger = listening.ledger()
      const after = await listening.data().write({ caller: SYSTEM }, (writes) => ledger.hold(writes))
      const made = [await make('one'), await make('two'), await make('three')]
      const seen = await ledger.read(database, { after })
      expect(seen.map(({ recordId }) => recordId)).toEqual(isOrdered ? made : [])
      expect(await ledger.gather()).toBe(!isOrdered)
      await database.transaction((writes) =>
        writes.update({
          table: tables.events,
          set: { batch: null },
          where: { op: 'eq', column: EVENT.recordId, value: made[1]! },
        }),
      )
      expect(await ledger.gather()).toBe(true)
      await tick()
      const order = isOrdered ? made : [made[0], made[2], made[1]]
      expect(listening.taken.map(({ recordId }) => recordId)).toEqual(order)
    })

    it('keeps nothing of a write that did not happen, nor of a row that was refused among others', async () => {
      const before = await kept()
      await send('POST', '', { title: 'far too long a title' })
      const rows = [{ title: 'a' }, { title: 'far too long a title' }, { title: 'b' }]
      await send('POST', '/bulk', { items: rows })
      await listening
        .data()
        .write({ caller: SYSTEM }, async (writes) => {
          await writes.record({ kind: 'create', resource: orders(), values: { title: 'undone' } })
          throw new Error('no')
        })
        .catch(() => undefined)
      await tick()
      expect(titles()).toEqual(['a', 'b'])
      expect(await kept()).toBe(before + 2)
    })

    it('hands each reader everything once, in the order of the writes, in as many parts as it takes', async () => {
      const body = { items: Array.from({ length: 450 }, (_, at) => ({ title: `t${at}` })) }
      await send('POST', '/bulk', body)
      await tick()
      await tick()
      expect(titles()).toEqual(body.items.map(({ title }) => title))
      const places = listening.taken.map(({ place }) => place)
      expect(places).toEqual(places.toSorted(comparePlaces))
    })

    it('keeps marks in their place: what is written before one stands before it', async () => {
      const id = await make('one')
      let mark = ''
      const place = await listening.data().write({ caller: SYSTEM }, async (writes) => {
        const before = await listening.ledger().hold(writes)
        await writes.record(rename(id, 'two'))
        mark = await listening.ledger().mark(writes)
        const found = await listening.ledger().placeOf(writes, mark)
        await writes.record(rename(id, 'three'))
        expect(comparePlaces(before, found!)).toBeLessThan(0)
        return found!
      })
      await tick()
      expect(listening.marks.find((one) => one.mark === mark)!.place).toEqual(place)
      const found = await listening
        .data()
        .write({ caller: SYSTEM }, (writes) => listening.ledger().placeOf(writes, mark))
      expect(found).toEqual(place)
      const sides = listening.taken.map(({ record, place: at }) => [
        record['title'],
        comparePlaces(at, place) < 0,
      ])
      expect(sides).toEqual([
        ['one', true],
        ['two', true],
        ['three', false],
      ])
    })

    it('forgets what every reader has taken and none needs', async () => {
      await make('one')
      await make('two')
      await make('three')
      await tick()
      const { place } = listening.taken[1]!
      listening.needed = new Map([['Order', place]])
      server().clock.advance(61_000)
      await tick()
      expect(await kept()).toBe(2)
      // Who needs events of another resource keeps none of these.
      listening.needed = new Map([['Other', { batch: 0, number: 0 }]])
      server().clock.advance(61_000)
      await tick()
      expect(await kept()).toBe(1)
      listening.needed = new Map()
      server().clock.advance(61_000)
      await tick()
      expect(await kept()).toBe(1)
    })

    it('tells where it keeps values of records', () => {
      const kept = listening.data().keeps(orders())
      expect(kept.find(({ table }) => table.name === tables.events.name)).toMatchObject({
        recordId: { name: 'recordId' },
        where: { op: 'eq', value: 'Order' },
      })
    })

    describe('asked for a value of a field', () => {
      const keysKept = () => server().kernel.get(StoreCapability).count({ table: tables.keys, where: all })
      const having = (value: string | null, after: Place = BEGINNING) =>
        listening.data().write({ caller: SYSTEM }, async (transaction) => {
          const asked = { reader: 'test', after, resource: 'Order', field: 'title', value } as const
          const found: Place[] = []
          for await (const { record, place } of listening.ledger().having(transaction, asked)) {
            expect(record['title']).toBe(value)
            found.push(place)
          }
          expect(found).toEqual(found.toSorted(comparePlaces))
          return found
        })
      beforeEach(() => {
        listening.needed = new Map([['Order', BEGINNING]])
        listening.keys = new Map()
      })

      it('answers its events, be they from before or after the reader said that it asks by it', async () => {
        await make('key a')
        await make('key b')
        await tick()
        expect(await having('key a')).toHaveLength(1)
        listening.keys = new Map([['Order', new Set(['title'])]])
        const id = await make('key a')
        await send('PATCH', `/${id}`, { title: 'key b' })
        await tick()
        expect(await keysKept()).toBe(2)
        const [places, others] = [await having('key a'), await having('key b')]
        expect([places.length, others.length]).toEqual([2, 2])
        expect(await having('key a', places[0])).toEqual(places.slice(1))
        expect(await having('key a', places[1])).toEqual([])
        expect(await having('nothing')).toEqual([])
      })

      it('misses none that came while the reader did not ask by it', async () => {
        listening.keys = new Map([['Order', new Set(['title'])]])
        await make('gap')
        await tick()
        listening.keys = new Map()
        await make('gap')
        await tick()
        expect(await having('gap')).toHaveLength(2)
        listening.keys = new Map([['Order', new Set(['title'])]])
        await make('gap')
        await tick()
        expect(await having('gap')).toHaveLength(3)
      })

      it('misses none that is in a batch and that the reader has not taken yet', async () => {
        listening.keys = new Map([['Order', new Set(['title'])]])
        await make('early')
        await tick()
        await make('early')
        await listening.ledger().gather()
        expect(await having('early')).toHaveLength(2)
        await tick()
        const places = await having('early')
        expect(places).toHaveLength(2)
        await make('early')
        await listening.ledger().gather()
        expect(await having('early', places[1])).toHaveLength(1)
      })

      it('keeps nothing of events that are gone', async () => {
        listening.keys = new Map([['Order', new Set(['title'])]])
        for (const title of ['gone 1', 'gone 2', 'last']) await make(title)
        await tick()
        listening.needed = new Map()
        server().clock.advance(61_000)
        await tick()
        // The last one that was taken stays until another is.
        expect([await kept(), await keysKept()]).toEqual([1, 1])
        expect([await having('gone 1'), (await having('last')).length]).toEqual([[], 1])
      })
    })
  })
}
