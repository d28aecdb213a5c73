import { type Store, StoreCapability } from '@svc/store/contract'
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type FollowedStream, follow } from '../../kit/event-stream.ts'
import { type SecondServer, startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from './shop.ts'

const EVENTS = '/api/v1/domains/shop/events'
const SOON = { timeout: 10_000, interval: 20 }

for (const store of STORES) {
  describe(`the live stream on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: SHOP,
      config: { events: { max_streams: 6 }, jobs: { poll_seconds: 60 } },
    })
    let keeper: TestAccount
    const open: FollowedStream[] = []
    beforeAll(async () => {
      keeper = await server().account('keeper', ['keeper'])
    })
    afterEach(async () => {
      await Promise.all(open.splice(0).map((one) => one.close()))
    })

    const followed = async (query = '', options: Parameters<typeof follow>[2] = { token: keeper.token }) => {
      const stream = await follow(server(), `${EVENTS}${query}`, options)
      open.push(stream)
      return stream
    }
    const note = async (text: string, to: Pick<SecondServer, 'request'> = server()) => {
      const { body } = await to.request('POST', '/api/v1/shop/notes', { body: { text } })
      return body.data.id as string
    }
    const texts = (stream: FollowedStream) => stream.told.map(({ data }) => data.record.text)

    it('9.6: begins with retry and ready, and tells each event once, in order', async () => {
      const stream = await followed()
      expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
      await expect.poll(() => stream.events.length, SOON).toBe(1)
      expect(stream.text()).toMatch(/^retry: 2000\n\nid: [0-9a-f-]{36}\nevent: ready\n/)
      for (const text of ['a', 'b', 'c']) await note(text)
      await expect.poll(() => texts(stream), SOON).toEqual(['a', 'b', 'c'])
      const page = await server().request('GET', `${EVENTS}?after=${stream.events[0]!.id}`)
      expect(stream.told.map(({ data }) => data)).toEqual(page.body.data.items)
      const [first] = stream.told
      expect(first).toMatchObject({ id: first!.data.id, event: 'created' })
    })

    it('9.6: Last-Event-ID and after send everything behind it, and go on live', async () => {
      const first = await followed()
      await expect.poll(() => first.events.length, SOON).toBe(1)
      const all = Array.from({ length: 20 }, (_, at) => `n${at}`)
      for (const text of all) await note(text)
      await expect.poll(() => texts(first), SOON).toEqual(all)
      const from = first.told[4]!.id!
      const [byHeader, byQuery] = await Promise.all([
        followed('', { headers: { 'last-event-id': from } }),
        followed(`?after=${from}`),
      ])
      const live = note('live')
      await expect.poll(() => texts(byHeader), SOON).toEqual([...all.slice(5), 'live'])
      await expect.poll(() => texts(byQuery), SOON).toEqual([...all.slice(5), 'live'])
      await live
    })

    it('9.6: while others write, who comes back at any position gets the rest exactly', async () => {
      const first = await followed()
      await expect.poll(() => first.events.length, SOON).toBe(1)
      const start = first.events[0]!.id!
      const writing = (async () => {
        for (let at = 0; at < 40; at += 1) await Promise.all([note(`x${at}`), note(`y${at}`)])
      })()
      const joined = []
      for (const _ of [1, 2, 3, 4]) {
        joined.push(await followed(`?after=${start}`))
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      await writing
      await expect.poll(() => first.told.length, SOON).toBe(80)
      for (const stream of joined) {
        await expect.poll(() => stream.told.length, SOON).toBe(80)
        expect(stream.told.map(({ id }) => id)).toEqual(first.told.map(({ id }) => id))
      }
    })

    it('9.6, 9.7: who reads at once is told all, however much comes together and however long one event is', async () => {
      const live = await followed()
      await expect.poll(() => live.events.length, SOON).toBe(1)
      for (const part of [0, 1, 2, 3]) {
        const items = Array.from({ length: 100 }, (_, at) => ({ text: `${part}-${at} ${'x'.repeat(4000)}` }))
        const { body } = await server().request('POST', '/api/v1/shop/notes/bulk', { body: { items } })
        expect(body.data.created).toBe(100)
      }
      const long = await note('y'.repeat(700_000))
      const path = `/api/v1/shop/notes/${long}`
      await server().request('PATCH', path, { body: { text: 'z'.repeat(700_000) } })
      await note('the last')
      const back = await followed(`?after=${live.events[0]!.id}`)
      for (const stream of [live, back]) {
        await expect.poll(() => stream.told.length, SOON).toBe(403)
        expect(stream.told.at(-2)).toMatchObject({ event: 'updated', data: { recordId: long } })
        expect(texts(stream).at(-1)).toBe('the last')
        expect(new Set(stream.told.map(({ id }) => id)).size).toBe(403)
        expect(stream.isOver()).toBe(false)
      }
    })

    it('9.6: nothing is lost where the database is away as something is to be told', async () => {
      const store = server().kernel.get(StoreCapability)
      const stream = await followed()
      await expect.poll(() => stream.events.length, SOON).toBe(1)
      const select = store.select.bind(store)
      let failures = 0
      const failing: Store['select'] = async (plan) => {
        if (plan.table.name === 'shop_order' && (failures += 1) === 1) throw new Error('away')
        return select(plan)
      }
      const send = (path: string, body: object) =>
        server().request('POST', `/api/v1/shop/${path}`, { token: keeper.token, body })
      const order = (await send('orders', { title: 'open to all' })).body.data.id
      await expect.poll(() => stream.told.length, SOON).toBe(1)
      Object.assign(store, { select: failing })
      onTestFinished(() => void Object.assign(store, { select }))
      await send('lines', { text: 'kept', orderId: order })
      await expect.poll(() => failures, SOON).toBeGreaterThan(0)
      await note('behind it')
      await expect.poll(() => texts(stream).slice(1), SOON).toEqual(['kept', 'behind it'])
    })

    it('9.6: a comment is sent every 15 seconds, whether or not anything happens', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      const stream = await followed()
      await expect.poll(() => stream.events.length, SOON).toBe(1)
      const comments = () => stream.text().match(/^:/gm)?.length ?? 0
      const before = comments()
      vi.advanceTimersByTime(14_000)
      await note('in between')
      await expect.poll(() => texts(stream), SOON).toEqual(['in between'])
      expect(comments()).toBe(before)
      vi.advanceTimersByTime(1000)
      await expect.poll(comments, SOON).toBe(before + 1)
      vi.advanceTimersByTime(30_000)
      await expect.poll(comments, SOON).toBe(before + 3)
    })

    it('9.6: an id that is kept no more gets reset first, and one that is none is refused', async () => {
      const stream = await followed('', {
        headers: { 'last-event-id': '0190b3c4-0000-7000-8000-00000000beef' },
      })
      await expect.poll(() => stream.events.map(({ event }) => event), SOON).toEqual(['reset', 'ready'])
      await note('after the reset')
      await expect.poll(() => texts(stream), SOON).toEqual(['after the reset'])
      const answer = await server().request('GET', EVENTS, {
        headers: { accept: 'text/event-stream', 'last-event-id': 'nonsense' },
      })
      expect([answer.status, answer.body.error_code]).toEqual([400, 'INVALID_QUERY'])
    })

    it('9.5, 9.7: each reader hears what it may list, by the rights of the moment', async () => {
      const ann = await server().account('ann')
      const hers = await followed('?resource=Order,Tag', { token: ann.token })
      const all = await followed('?resource=Order,Tag')
      const order = (await server().request('POST', '/api/v1/shop/orders', {
        token: ann.token,
        body: { title: 'hers', cost: 4 },
      })) as any
      const path = `/api/v1/shop/orders/${order.body.data.id}`
      await server().request('PATCH', path, { token: keeper.token, body: { title: 'x', ownerId: keeper.id } })
      await expect.poll(() => hers.told.map(({ event }) => event), SOON).toEqual(['created', 'removed'])
      await expect.poll(() => all.told.map(({ event }) => event), SOON).toEqual(['created', 'updated'])
      expect(hers.told[0]!.data.record).not.toHaveProperty('cost')
      expect(all.told[0]!.data.record).toHaveProperty('cost', 4)
      const { admin } = server()
      const roles = `/api/v1/admin/users/${ann.id}/roles`
      await server().request('PUT', roles, { token: admin, body: { roles: ['keeper'] } })
      await server().request('PATCH', path, { token: keeper.token, body: { title: 'y' } })
      await expect
        .poll(() => hers.told.map(({ event }) => event), SOON)
        .toEqual(['created', 'removed', 'updated'])
      expect(hers.told[2]!.data.record).toHaveProperty('cost')
    })

    it('9.5: a new definition ends it, and who comes back misses nothing', async () => {
      const stream = await followed()
      await expect.poll(() => stream.events.length, SOON).toBe(1)
      await note('before')
      await expect.poll(() => texts(stream), SOON).toEqual(['before'])
      await server().submit(SHOP.replace('name: string', 'name: string, color: string'))
      await expect.poll(() => stream.isOver(), SOON).toBe(true)
      await note('between')
      const again = await followed(`?after=${stream.told.at(-1)!.id}`)
      await expect.poll(() => texts(again), SOON).toEqual(['between'])
    })

    it('9.7: a suspension ends it with the reason, and so does a token that expires', async () => {
      const bob = await server().account('bob')
      const stream = await followed('', { token: bob.token })
      const path = `/api/v1/admin/users/${bob.id}/suspend`
      expect((await server().request('POST', path, { token: server().admin })).status).toBe(200)
      await expect.poll(() => stream.isOver(), SOON).toBe(true)
      expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'USER_SUSPENDED' } })
      const cid = await server().account('cid')
      const until = await followed('', { token: cid.token })
      server().clock.advance(16 * 60_000)
      await expect.poll(() => until.isOver(), SOON).toBe(true)
      expect(until.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'TOKEN_EXPIRED' } })
      keeper = await server().account('keeper2', ['keeper'])
    })

    it('9.7: a ticket opens one stream with the rights of who asked for it, for 30 seconds', async () => {
      const ask = () => server().request('POST', `${EVENTS}/ticket`, { token: keeper.token })
      expect((await server().request('POST', `${EVENTS}/ticket`)).status).toBe(401)
      const { status, body } = await ask()
      expect([status, Object.keys(body.data)]).toEqual([201, ['ticket', 'expiresAt']])
      const open = () => followed(`?resource=Tag&ticket=${body.data.ticket}`, {})
      const tries = await Promise.all(Array.from({ length: 5 }, open))
      expect(tries.map((one) => one.status).sort()).toEqual([200, 401, 401, 401, 401])
      const stream = tries.find((one) => one.status === 200)!
      await server().request('POST', '/api/v1/shop/tags', { token: keeper.token, body: { name: 'red' } })
      await expect.poll(() => stream.told.map(({ data }) => data.record.name), SOON).toEqual(['red'])
      const late = (await ask()).body.data.ticket
      server().clock.advance(31_000)
      expect((await followed(`?ticket=${late}`, {})).status).toBe(401)
      const inQuery = await server().request('GET', `${EVENTS}?resource=Tag&access_token=${keeper.token}`)
      expect(inQuery.status).toBe(401)
    })

    it('9.7: over max_streams it is 503, until one is given up', async () => {
      const all = await Promise.all(Array.from({ length: 6 }, () => followed()))
      expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
      const more = await followed()
      expect(more.status).toBe(503)
      await all[0]!.close()
      expect((await followed()).status).toBe(200)
    })
  })
}

for (const store of STORES.filter(({ name }) => name === 'postgres')) {
  describe('the live stream of two servers', () => {
    const server = useTestKernel({ store, definition: SHOP })
    let second: SecondServer

    it('9.6, 9.7: has the events of the other, takes its tickets once, and ends with its suspensions', async () => {
      second = await startSecond(server().database, server().clock)
      try {
        const keeper = await server().account('keeper', ['keeper'])
        const ticket = await second.request('POST', `${EVENTS}/ticket`, { token: keeper.token })
        const query = `?ticket=${ticket.body.data.ticket}`
        const [one, other] = await Promise.all([
          follow(server(), `${EVENTS}${query}`),
          follow(second, `${EVENTS}${query}`),
        ])
        expect([one.status, other.status].sort()).toEqual([200, 401])
        const stream = await follow(server(), EVENTS, { token: keeper.token })
        await expect.poll(() => stream.events.length, SOON).toBe(1)
        await second.request('POST', '/api/v1/shop/notes', { body: { text: 'from afar' } })
        await expect.poll(() => stream.told.map(({ data }) => data.record.text), SOON).toEqual(['from afar'])
        await second.request('POST', `/api/v1/admin/users/${keeper.id}/suspend`, { token: server().admin })
        // What others have changed is looked for every 100 ms of the server's clock.
        server().clock.advance(1000)
        await expect.poll(() => stream.isOver(), SOON).toBe(true)
        expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'USER_SUSPENDED' } })
        await Promise.all([one, other, stream].map((each) => each.close()))
      } finally {
        await second.stop()
      }
    })
  })
}
