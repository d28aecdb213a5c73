import { describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { STILL, tick } from '../notifications/outbox.ts'
import { BASE, useWorkroom } from './workroom.ts'

const SHOP = `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object:
        number: { type: string, required: true }
        total: decimal
        pin: { type: password }
        dueOn: date
        mark: { type: string, unique: true }
        status: { type: string, enum: [open, sent, paid] }
        deletedAt: datetime
      features: { softDelete: true }
      relationships: { customer: { type: belongsTo, target: Customer }, lines: { type: hasMany, target: Line, foreignKey: orderId } }
      stateMachine:
        field: status
        initial: open
        states: { open: { transitions: { send: { to: sent }, pay: { to: paid } } }, sent: { transitions: { pay: { to: paid } } }, paid: { final: true } }
      history: { events: { dear: { on: fieldChange, field: total, label: 'Now {total}', condition: total > 100 } } }
    Customer: { object: { name: string } }
    Line: { object: { orderId: uuid, title: string } }
  templates:
    made:
      format: markdown
      trigger: { resource: Order, event: create, condition: total > 10 }
      condition: number != 'none'
      data: { order: { record: Order, include: [customer, lines] }, past: { history: true } }
      filename: 'Made {number}'
      body: 'No {number} of {customer.name} for {order.total}: {#each lines as line}{line.title} {/each}{size(past)} {user.name} {order}'
    moved:
      format: markdown
      trigger: { resource: Order, event: [update, transition], fields: [total], transition: send, condition: previous.total != null and $transition != 'pay' }
      data: { order: record }
      body: '{number}: {status} {total}'
    gone: { format: markdown, trigger: { resource: Order, event: delete }, data: { order: record }, body: 'gone {number}' }
    dear: { format: markdown, trigger: { resource: Order, event: history, history: dear }, data: { order: record }, body: 'dear {number}' }
    broken: { format: markdown, trigger: { resource: Order, event: create, condition: total == 3 }, data: { all: { source: Line } }, body: '{size(all)}{#each all as line}{#each all as other}{other.title}{/each}{/each}' }
`

for (const store of STORES) {
  describe(`documents that events generate on ${store.name}`, () => {
    const room = useWorkroom(store, SHOP, { sections: STILL })
    const make = async (values: object) => room().record('orders', { number: 'A1', ...values })
    const of = (id: string, template = '') =>
      room().documents(`?recordId=${id}${template && `&template=${template}`}`)
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await room().send(method, `${BASE}/${path}`, room().server.admin, body)
      expect(answer.status).toBeLessThan(300)
      return answer
    }

    it('C6.2: an event promises a document with its write, which shows the record as that left it', async () => {
      const customer = await room().record('customers', { name: 'Ann' })
      const id = await make({ total: 12, customerId: customer, pin: 'Correct-horse-7' })
      expect(await of(id)).toEqual([])
      await send('PATCH', `orders/${id}`, { number: 'A2' })
      await send('PATCH', `customers/${customer}`, { name: 'Bea' })
      await room().record('lines', { orderId: id, title: 'nails' })
      await room().tick()
      const [document, ...more] = await of(id)
      expect(more).toEqual([])
      expect(document).toMatchObject({
        templateName: 'made',
        resource: 'Order',
        recordId: id,
        filename: 'Made A1.md',
        generatedBy: null,
        metadata: { trigger: 'create', parameters: {} },
      })
      const text = (await room().text(document)).replaceAll('\\', '')
      expect(text).toMatch(/^No A1 of Bea for 12: nails 0 .*"number":"A1"/)
      // C6.4: all but passwords.
      expect(text).not.toContain('pin')
    })

    it('C6.2: conditions decide, by the write itself', async () => {
      for (const values of [{ total: 9 }, { total: 12, number: 'none' }]) {
        const id = await make(values)
        await room().tick()
        expect(await of(id)).toEqual([])
      }
      const id = await make({ total: 1 })
      await send('PATCH', `orders/${id}`, { total: 2 })
      await send('PATCH', `orders/${id}`, { dueOn: '2026-01-01' })
      await room().tick()
      expect((await of(id, 'moved')).map(({ metadata }) => metadata.trigger)).toEqual(['update'])
      await send('POST', `orders/${id}/transitions/send`, {})
      await room().tick()
      expect((await of(id, 'moved')).map(({ metadata }) => metadata.trigger)).toEqual([
        'transition',
        'update',
      ])
      await send('POST', `orders/${id}/transitions/pay`, {})
      await room().tick()
      expect(await of(id, 'moved')).toHaveLength(2)
    })

    it('C6.2: what was deleted, and what the timeline kept, count; every path that writes does', async () => {
      const id = await make({ total: 1 })
      await send('PATCH', `orders/${id}`, { total: 50 })
      await send('PATCH', `orders/${id}`, { total: 500 })
      await send('DELETE', `orders/${id}`)
      await room().tick()
      expect((await of(id)).map(({ templateName }) => templateName).toSorted()).toEqual([
        'dear',
        'gone',
        'moved',
        'moved',
      ])
      const items = [1, 2, 3].map((at) => ({ number: `B${at}`, total: 20 }))
      await send('POST', 'orders/bulk', { items })
      await room().tick()
      const names = (await room().documents('?template=made&limit=100')).map(({ filename }) => filename)
      expect(names).toEqual(expect.arrayContaining(['Made B1.md', 'Made B2.md', 'Made B3.md']))
    })

    it('C6.2: a refused write promises nothing', async () => {
      await make({ total: 1, mark: 'one' })
      const before = (await room().documents('?limit=200')).length
      const { admin } = room().server
      for (const wrong of [{ mark: 'one' }, { dueOn: 'never' }]) {
        const answer = await room().send('POST', `${BASE}/orders`, admin, {
          number: 'X',
          total: 99,
          ...wrong,
        })
        expect(answer.status).toBeGreaterThan(400)
      }
      await room().tick()
      expect(await room().documents('?limit=200')).toHaveLength(before)
    })

    it('C6.2: templates of events are generated by hand too', async () => {
      const id = await make({ total: 1 })
      expect(await room().preview('moved', { recordId: id })).toContain('A1: open 1')
    })

    it('C6.2, J2: two servers make one document of one event', async () => {
      const { server, place } = room()
      const other = await startSecond(server.database, server.clock, [], { ...STILL, files: place.config })
      try {
        const ids = await Promise.all([1, 2, 3, 4].map(() => make({ total: 12 })))
        await Promise.all([tick(server), tick(other)])
        await tick(server)
        for (const id of ids) expect(await of(id)).toHaveLength(1)
      } finally {
        await other.stop()
      }
    })

    it('C6.2: out of reach is tried again, for 24 hours', async () => {
      const { server, place } = room()
      const id = await make({ total: 12 })
      await place.takeAway()
      await room().tick()
      server.clock.advance(60_000)
      await room().tick()
      await place.bringBack()
      expect(await of(id)).toEqual([])
      server.clock.advance(600_000)
      await room().tick()
      expect(await of(id)).toHaveLength(1)
      const late = await make({ total: 12 })
      await place.takeAway()
      for (let at = 0; at < 160; at++) {
        await room().tick()
        server.clock.advance(600_000)
      }
      await place.bringBack()
      await room().tick()
      const token = (await room().account('late', ['admin'])).token
      expect(await room().documents(`?recordId=${late}`, token)).toEqual([])
      const { body } = await room().send('GET', `${BASE}/templates/made`, token)
      expect(body.data.failures).toMatchObject({
        count: 1,
        last: { recordId: late, error_code: 'UNAVAILABLE' },
      })
    })

    it('C6.2: any other fault is final and shows to admins', async () => {
      const { token } = await room().account('ada', ['admin'])
      const path = `${BASE}/templates/broken`
      expect((await room().send('GET', path, token)).body.data.failures).toEqual({ count: 0, last: null })
      const items = Array.from({ length: 300 }, () => ({ title: 'x' }))
      expect((await room().send('POST', `${BASE}/lines/bulk`, token, { items })).status).toBeLessThan(300)
      for (const count of [1, 2]) {
        const { body: made } = await room().send('POST', `${BASE}/orders`, token, { number: 'C', total: 3 })
        await room().tick()
        const { body } = await room().send('GET', path, token)
        expect(body.data.failures).toEqual({
          count,
          last: {
            at: expect.stringMatching(/Z$/),
            recordId: made.data.id,
            error_code: 'RENDER_FAILED',
            message: expect.stringMatching(/./),
          },
        })
      }
      room().server.clock.advance(3_600_000)
      const { token: again } = await room().account('adb', ['admin'])
      await room().tick()
      expect((await room().send('GET', path, again)).body.data.failures.count).toBe(2)
    })
  })
}
