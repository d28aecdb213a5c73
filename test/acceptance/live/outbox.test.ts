import { beforeAll, describe, expect, it } from 'vitest'
import { follow } from '../../kit/event-stream.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from './shop.ts'

const EVENTS = '/api/v1/domains/shop/events'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

for (const store of STORES) {
  describe(`events that are kept on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    let keeper: TestAccount
    let ann: TestAccount
    beforeAll(async () => {
      keeper = await server().account('keeper', ['keeper'])
      ann = await server().account('ann')
    })

    const send = async (method: string, path: string, body?: unknown, { token } = keeper) => {
      const options = { token, ...(body !== undefined && { body }) }
      const answer = await server().request(method, `/api/v1/shop/${path}`, options)
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body?.data
    }
    const page = async (query = '', token: string | undefined = keeper.token) => {
      const answer = await server().request('GET', `${EVENTS}${query}`, { ...(token && { token }) })
      return answer.body.data as { items: any[]; count: number; next: string }
    }
    const now = async () => {
      for (let from = ''; ;) {
        const { next } = await page(`?limit=1000&after=${from}`)
        if (next === from) return next
        from = next
      }
    }
    const told = (items: readonly any[]) => items.map(({ resource, action }) => `${resource} ${action}`)

    it('9.1: every write is told, on whatever way it came, each once and in order', async () => {
      const before = await now()
      const order = await send('POST', 'orders', { title: 'one', cost: 3 })
      await send('PATCH', `orders/${order.id}`, { title: 'two' })
      await send('PUT', `orders/${order.id}`, { title: 'three' })
      await send('POST', `orders/${order.id}/transitions/finish`)
      const tag = await send('POST', 'tags', { name: 'red' })
      await send('POST', `orders/${order.id}/tags`, { tagId: tag.id })
      await send('DELETE', `orders/${order.id}/tags/${tag.id}`)
      await send('POST', 'lines', { text: 'a', orderId: order.id })
      await send('POST', 'tags/bulk', [{ name: 'b1' }, { name: 'b2' }])
      await send('POST', `orders/${order.id}/revert`, { version: 1 })
      const note = await send('POST', 'notes', { text: 'n' })
      await send('DELETE', `notes/${note.id}`)
      await send('POST', `notes/${note.id}/restore`)
      await send('DELETE', `orders/${order.id}`)
      const { items, count, next } = await page(`?after=${before}`)
      expect(told(items.filter(({ resource }) => resource !== 'Line'))).toEqual([
        'Order created',
        'Order updated',
        'Order updated',
        'Order transitioned',
        'Tag created',
        'Order linked',
        'Order unlinked',
        'Tag created',
        'Tag created',
        'Order updated',
        'Note created',
        'Note deleted',
        'Note restored',
        'Order deleted',
      ])
      expect(count).toBe(items.length)
      expect(next).toBe(items.at(-1).id)
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
      for (const { id } of items) expect(id).toMatch(UUID)
      expect(items[1]).toEqual({
        id: expect.stringMatching(UUID),
        domain: 'shop',
        resource: 'Order',
        action: 'updated',
        recordId: order.id,
        record: expect.objectContaining({ id: order.id, title: 'two', cost: 3 }),
        previous: expect.objectContaining({ title: 'one' }),
        actor: { id: keeper.id, username: 'keeper' },
        at: expect.any(String),
        requestId: expect.any(String),
      })
      expect(items[5]).toMatchObject({ relationship: 'tags', record: { tagId: tag.id }, previous: null })
      expect(items.at(-1)).toMatchObject({ record: null, previous: { title: 'one' } })
      expect(JSON.stringify(items)).not.toContain('"pin"')
    })

    it('9.1: what is undone is not told, and what goes along with a record is', async () => {
      await send('POST', 'orders', { title: 'open to all' })
      const order = await send('POST', 'orders', { title: 'open to all' })
      await send('POST', 'lines', { text: 'mine', orderId: order.id })
      const before = await now()
      const bulk = await server().request('POST', '/api/v1/shop/orders/bulk', {
        token: keeper.token,
        body: [{ title: 'kept' }, { cost: 1 }],
      })
      expect(bulk.body.data).toMatchObject({ created: 1, failed: 1 })
      await send('DELETE', `orders/${order.id}`)
      const { items } = await page(`?after=${before}`)
      // The order went with its line: whether that may be listed is asked of an order that is gone.
      expect(told(items)).toEqual(['Order created', 'Order deleted'])
    })

    it('4.16: an event of the bus has the id under which it is kept', async () => {
      const heard: any[] = []
      const off = server().kernel.bus.on('svc.shop.*', (event) => void heard.push(event))
      const before = await now()
      const order = await send('POST', 'orders', { title: 'heard' })
      const tag = await send('POST', 'tags', { name: 'heard' })
      await send('POST', `orders/${order.id}/tags`, { tagId: tag.id })
      off()
      const { items } = await page(`?after=${before}`)
      const ids = heard.filter(({ recordId }) => recordId !== undefined).map(({ id }) => id)
      expect(ids).toEqual(items.map(({ id }) => id))
      expect(heard.map(({ recordId }) => recordId)).toEqual([order.id, tag.id, order.id])
    })

    it('9.5: a page shows what its reader may list, with the fields that it may read', async () => {
      const before = await now()
      const own = await send('POST', 'orders', { title: 'hers', cost: 5 }, ann)
      await send('POST', 'orders', { title: 'of another', cost: 6 })
      await send('POST', 'notes', { text: 'to all' })
      const hers = await page(`?after=${before}`, ann.token)
      expect(hers.items.map(({ record }) => record.title ?? record.text)).toEqual(['hers', 'to all'])
      expect(hers.items[0].record).not.toHaveProperty('cost')
      expect(hers.items[0]).toMatchObject({ recordId: own.id })
      const strangers = await server().request('GET', `${EVENTS}?after=${before}`)
      expect(told(strangers.body.data.items)).toEqual(['Note created'])
    })

    it('9.5: a record that leaves its reader’s sight comes as removed, with its id alone', async () => {
      const order = await send('POST', 'orders', { title: 'passes on', cost: 7 }, ann)
      const before = await now()
      await send('PATCH', `orders/${order.id}`, { title: 'secret now', ownerId: keeper.id })
      await send('PATCH', `orders/${order.id}`, { title: 'more secret' })
      await send('DELETE', `orders/${order.id}`)
      const { items } = await page(`?after=${before}`, ann.token)
      expect(items).toEqual([
        { id: expect.any(String), domain: 'shop', resource: 'Order', action: 'removed', recordId: order.id },
      ])
      const all = await page(`?after=${before}`)
      expect(told(all.items)).toEqual(['Order updated', 'Order updated', 'Order deleted'])
    })

    it('9.5: a rule that looks at other records is asked of them as they are', async () => {
      const order = await send('POST', 'orders', { title: 'closed' })
      const before = await now()
      await send('POST', 'lines', { text: 'unseen', orderId: order.id })
      expect((await page(`?after=${before}&resource=Line`, ann.token)).items).toEqual([])
      await send('PATCH', `orders/${order.id}`, { title: 'open to all' })
      expect(told((await page(`?after=${before}&resource=Line`, ann.token)).items)).toEqual(['Line created'])
    })

    it('9.5: resource, action, id, after and limit narrow it', async () => {
      const before = await now()
      const note = await send('POST', 'notes', { text: '1' })
      await send('POST', 'notes', { text: '2' })
      await send('PATCH', `notes/${note.id}`, { text: '3' })
      await send('POST', 'tags', { name: 'x' })
      const of = async (query: string) => told((await page(`?after=${before}&${query}`)).items)
      expect(await of('resource=Note')).toEqual(['Note created', 'Note created', 'Note updated'])
      expect(await of('resource=Note,Tag&action=created')).toEqual([
        'Note created',
        'Note created',
        'Tag created',
      ])
      expect(await of(`id=${note.id}`)).toEqual(['Note created', 'Note updated'])
      const first = await page(`?after=${before}&limit=2`)
      expect(first.count).toBe(2)
      const second = await page(`?after=${first.next}`)
      expect(told(second.items)).toEqual(['Note updated', 'Tag created'])
      expect((await page(`?after=${second.next}`)).next).toBe(second.next)
    })

    it('9.5: what is asked for is found among any number of others, a stretch of them for each page', async () => {
      const before = await now()
      const tags = Array.from({ length: 1000 }, (_, at) => ({ name: `among ${at}` }))
      for (let at = 0; at < 10; at++) await send('POST', 'tags/bulk', tags)
      const note = await send('POST', 'notes', { text: 'one of many' })
      const last = await now()
      for (const query of [`id=${note.id}`, 'resource=Note']) {
        const first = await page(`?after=${before}&${query}`)
        expect(first.items).toEqual([])
        const second = await page(`?after=${first.next}&${query}`)
        expect(second.items).toMatchObject([{ action: 'created', recordId: note.id }])
        expect(second.next).toBe(last)
        const stream = await follow(server(), `${EVENTS}?after=${before}&${query}`, { token: keeper.token })
        await expect.poll(() => stream.told.length, { timeout: 30_000 }).toBe(1)
        expect(stream.told).toMatchObject([{ event: 'created', data: { recordId: note.id } }])
        await stream.close()
      }
    })

    it('9.5: refuses what means nothing, and who may list nothing', async () => {
      const outcome = async (path: string, token?: string) => {
        const { status, body } = await server().request('GET', path, { ...(token && { token }) })
        return [status, body.error_code]
      }
      expect(await outcome(`${EVENTS}?after=nonsense`)).toEqual([400, 'INVALID_QUERY'])
      expect(await outcome(`${EVENTS}?resource=Odrer`)).toEqual([400, 'INVALID_QUERY'])
      expect(await outcome(`${EVENTS}?action=made`)).toEqual([400, 'INVALID_QUERY'])
      expect(await outcome(`${EVENTS}?resource=Tag`)).toEqual([401, 'UNAUTHORIZED'])
      expect(await outcome(`${EVENTS}?resource=Tag`, ann.token)).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('/api/v1/domains/nowhere/events')).toEqual([404, 'NOT_FOUND'])
      expect(await outcome(EVENTS, 'stale')).toEqual([401, 'UNAUTHORIZED'])
    })
  })

  describe(`without events.enabled on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP, config: { events: { enabled: false } } })

    it('9.1, 9.7: nothing is kept, and who asks is told so', async () => {
      await server().request('POST', '/api/v1/shop/notes', { body: { text: 'a' } })
      const { status, body } = await server().request('GET', EVENTS)
      expect([status, body.error_code]).toEqual([503, 'UNAVAILABLE'])
    })
  })
}
