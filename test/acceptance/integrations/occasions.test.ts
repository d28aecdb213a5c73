import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { type Sink, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1440 * MINUTE_MS
const CONFIG = {
  outbound: { allow_private: ['127.0.0.1'] },
  jobs: { enabled: false },
  auth: {
    jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 1000 * 86_400 },
  },
}

for (const store of STORES) {
  describe(`operations that the clock sets off on ${store.name}`, () => {
    let sink: Sink
    let server: TestKernel
    let before: number
    let tests = 0
    let name = ''
    beforeAll(async () => {
      sink = await startSink(() => ({ status: 200 }))
      server = await startTestKernel({ store, config: CONFIG })
    })
    afterAll(async () => {
      await server.stop()
      await sink.stop()
    })
    beforeEach(async () => {
      before = sink.received.length
      tests += 1
      name = `report${tests}`
    })
    const received = () => sink.received.slice(before).map(({ body }) => JSON.parse(body).number)
    const tick = () => server.kernel.callAs(SYSTEM)('jobs.tick', {})
    const definitionOf = (trigger: unknown, more: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: {
            Order: {
              object: { number: 'string', state: 'string', deletedAt: 'datetime' },
              features: { softDelete: true },
            },
          },
          integrations: {
            [name]: {
              type: 'rest',
              baseUrl: sink.url,
              operations: { tell: { method: 'POST', body: { number: '$record.number' }, trigger, ...more } },
            },
          },
        },
      })
    const submit = async (trigger: unknown, more: object = {}) => {
      await server.submit(definitionOf(trigger, more))
      // It takes note of what it will be due for.
      await tick()
      expect(received()).toEqual([])
    }
    const refused = async (trigger: unknown, more: object = {}) => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf(trigger, more) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const send = async (method: string, path: string, body?: object) =>
      (await server.request(method, `/api/v1/shop/${path}`, { token: server.admin, ...(body && { body }) }))
        .body?.data
    const order = (number: string, state: string) => send('POST', 'orders', { number, state })
    const clear = async () => {
      for (const { id } of (await send('GET', 'orders?limit=1000')).items)
        await send('DELETE', `orders/${id}`)
    }

    it('4.9: a run for each record that the filter finds, whenever it recurs', async () => {
      await submit({ schedule: 'every 10 minutes', resource: 'Order', filter: 'state == "late"' })
      for (const [number, state] of [
        ['1', 'late'],
        ['2', 'new'],
        ['3', 'late'],
        ['4', 'late'],
      ] as const)
        await order(number, state)
      const [gone] = (await send('GET', 'orders?filter[number]=4')).items
      await send('DELETE', `orders/${gone.id}`)
      server.clock.advance(10 * MINUTE_MS)
      await tick()
      expect(received().toSorted()).toEqual(['1', '3'])
      await tick()
      expect(received()).toHaveLength(2)
      const { items } = await send('GET', `integrations/${name}/log`)
      expect(items).toMatchObject([
        { triggeredBy: 'schedule', resource: 'Order', success: true },
        { triggeredBy: 'schedule', resource: 'Order', success: true },
      ])
      // Of what was missed it makes up for once.
      server.clock.advance(65 * MINUTE_MS)
      await tick()
      await tick()
      expect(received()).toHaveLength(4)
      expect((await send('GET', `integrations/${name}`)).operations[0].triggers).toEqual([
        { resource: 'Order', schedule: 'every 10 minutes', timezone: 'UTC' },
      ])
      await clear()
    })

    it('4.9: without a resource it is one run, by the clocks of its zone', async () => {
      await submit(
        { schedule: 'daily at 06:00', timezone: 'Asia/Tokyo' },
        { body: { number: "formatDate(now(), 'HH:mm')" } },
      )
      const { clock } = server
      // Six in Tokyo is nine in the evening of the day before in Greenwich.
      const due = Math.ceil((clock.now() - 21 * 60 * MINUTE_MS) / DAY_MS) * DAY_MS + 21 * 60 * MINUTE_MS
      clock.advance(due - clock.now() - 1)
      await tick()
      expect(received()).toEqual([])
      clock.advance(1)
      await tick()
      expect(received()).toEqual(['21:00'])
    })

    it('4.9: once on all servers, and in portions where there are many', async () => {
      await submit({ schedule: 'hourly', resource: 'Order' })
      const items = Array.from({ length: 120 }, (_, at) => ({ number: String(at) }))
      await send('POST', 'orders/bulk', { items })
      const other = await startSecond(server.database, server.clock, [], CONFIG)
      try {
        server.clock.advance(60 * MINUTE_MS)
        const others = () => other.kernel.callAs(SYSTEM)('jobs.tick', {})
        await Promise.all([tick(), others(), tick(), others()])
        await tick()
        expect(received().toSorted()).toEqual(items.map(({ number }) => number).toSorted())
      } finally {
        await other.stop()
      }
      await clear()
    })

    it('4.9: another recurrence begins anew, and the same one goes on', async () => {
      await submit({ schedule: 'every 10 minutes' }, { body: { number: 'x' } })
      server.clock.advance(9 * MINUTE_MS)
      await submit({ schedule: 'every 10 minutes' }, { body: { number: 'y' } })
      server.clock.advance(MINUTE_MS)
      await tick()
      expect(received()).toEqual(['y'])
      before = sink.received.length
      server.clock.advance(9 * MINUTE_MS)
      await submit({ schedule: 'every 60 minutes' }, { body: { number: 'z' } })
      server.clock.advance(2 * MINUTE_MS)
      await tick()
      expect(received()).toEqual([])
    })

    it('4.9: what no trigger can be is refused where it stands', async () => {
      expect(await refused({ schedule: 'every blue moon' })).toContain('.trigger.schedule')
      expect(await refused({ schedule: 'daily at 06:00', timezone: 'Mars/Olympus' })).toContain(
        'no time zone',
      )
      expect(await refused({ schedule: 'hourly', event: 'create' })).toContain(
        "means nothing beside 'schedule'",
      )
      expect(await refused({ schedule: 'hourly', filter: 'state == "x"' })).toContain('Name the resource')
      expect(await refused({ schedule: 'hourly', resource: 'Nothing' })).toContain('no resource')
      expect(await refused({ schedule: 'hourly', resource: 'Order', filter: 'colour == 1' })).toContain(
        'colour',
      )
      expect(await refused({ resource: 'Order', event: 'create', timezone: 'UTC' })).toContain(
        "without 'schedule'",
      )
      expect(await refused([{ schedule: 'hourly' }, { resource: 'Order', event: 'create' }])).toContain(
        'about no record',
      )
    })
  })
}
