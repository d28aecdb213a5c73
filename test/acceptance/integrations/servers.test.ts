import { SYSTEM } from '@svc/kernel'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const CONFIG = { outbound: { allow_private: ['127.0.0.1'] }, jobs: { enabled: false } }
const PING = '/api/v1/shop/integrations/courier/operations/ping'

for (const store of STORES) {
  describe(`integrations on two servers over one ${store.name}`, () => {
    const server = useTestKernel({ store, config: CONFIG })
    const start = async (more: object, answer: () => SinkAnswer): Promise<Sink> => {
      const sink = await startSink(answer)
      onTestFinished(() => sink.stop())
      const operations = {
        ping: { path: '/ping' },
        tell: {
          method: 'POST',
          body: { number: '{number}' },
          trigger: { resource: 'Order', event: 'create' },
        },
      }
      await server().submit(
        JSON.stringify({
          domain: {
            name: 'shop',
            version: '1.0.0',
            resources: { Order: { object: { number: 'string' } } },
            integrations: { courier: { type: 'rest', baseUrl: sink.url, ...more, operations } },
          },
        }),
      )
      return sink
    }
    const second = async () => {
      const other = await startSecond(server().database, server().clock, [], CONFIG)
      onTestFinished(() => other.stop())
      const ask = () => other.request('POST', PING, { token: server().admin, body: {} })
      return { ...other, ask }
    }
    const ask = () => server().request('POST', PING, { token: server().admin, body: {} })
    const order = (number: string) =>
      server().request('POST', '/api/v1/shop/orders', { token: server().admin, body: { number } })

    it('5.4: an open breaker is open on another server within a second, and after a restart', async () => {
      const sink = await start({ circuitBreaker: { failureThreshold: 2 } }, () => ({ status: 500 }))
      const other = await second()
      // It knows that the breaker is closed.
      expect((await other.ask()).status).toBe(502)
      await ask()
      await ask()
      const until = Date.now() + 1000
      await vi.waitFor(async () => expect((await other.ask()).body.error_code).toBe('CIRCUIT_OPEN'), {
        timeout: 1000,
        interval: 50,
      })
      expect(Date.now()).toBeLessThan(until)
      const known = sink.received.length
      expect((await (await second()).ask()).body.error_code).toBe('CIRCUIT_OPEN')
      expect(sink.received).toHaveLength(known)
      server().clock.advance(60_000)
    })

    it('5.5: on PostgreSQL the limiter is one for all servers, on SQLite one for each process', async () => {
      const rateLimit = { requestsPerSecond: 0.01, burstSize: 4, onExceeded: 'reject' }
      await start({ rateLimit }, () => ({ status: 200 }))
      const other = await second()
      const all = await Promise.all(
        Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? ask() : other.ask())),
      )
      const passed = all.filter(({ status }) => status === 200).length
      expect(all.every(({ status }) => status === 200 || status === 429)).toBe(true)
      expect(passed).toBe(store.name === 'postgres' ? 4 : 8)
    })

    it('5.3: what was set off on one server is done once by whichever is free', async () => {
      const sink = await start({}, () => ({ status: 200 }))
      const other = await second()
      for (let at = 0; at < 10; at++) expect((await order(`N${at}`)).status).toBe(201)
      const tick = ({ kernel }: Pick<typeof other, 'kernel'>) => kernel.callAs(SYSTEM)('jobs.tick', {})
      await Promise.all([tick(other), tick(server())])
      const numbers = sink.received.map(({ body }) => JSON.parse(body).number as string)
      expect(numbers.toSorted()).toEqual(Array.from({ length: 10 }, (_, at) => `N${at}`))
    })
  })
}
