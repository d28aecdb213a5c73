import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sink, startSink } from '../kit/sink.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { useTestKernel } from '../kit/test-kernel.ts'
import { Power } from './power.ts'

// A run that a write sets off, and one by hand, on a server that dies: at each statement and each commit in turn.

/** Every how many statements and commits the server dies. */
const STRIDE = size('INTEGRATIONS_STRIDE', { smoke: 7, whole: 1 })
const LONG_MS = 200_000

for (const store of STORES) {
  describe(`runs of integrations of a server that dies, on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      config: {
        outbound: { allow_private: ['127.0.0.1'] },
        jobs: { enabled: false },
        auth: {
          jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 100 * 86_400 },
        },
      },
    })
    let sink: Sink
    beforeAll(async () => {
      // Each first attempt of a key fails.
      const seen = new Set<string>()
      sink = await startSink(({ headers }) => {
        const key = String(headers['idempotency-key'])
        const isFirst = !seen.has(key)
        seen.add(key)
        return { status: isFirst ? 503 : 200 }
      })
      const operation = { method: 'POST', path: '/parcels', body: { number: '{number}' }, resource: 'Order' }
      await server().submit(
        JSON.stringify({
          domain: {
            name: 'shop',
            version: '1.0.0',
            resources: { Order: { object: { number: 'string' } } },
            integrations: {
              // Without auth: what it is told counts here, not by whom.
              bank: {
                type: 'webhook',
                public: true,
                dedupe: '$payload.id',
                write: { resource: 'Order', action: 'create', mapping: { number: '$payload.number' } },
              },
              slowBank: {
                type: 'webhook',
                public: true,
                respond: 'async',
                dedupe: '$payload.id',
                write: { resource: 'Order', action: 'create', mapping: { number: '$payload.number' } },
              },
              courier: {
                type: 'rest',
                baseUrl: sink.url,
                retry: { maxAttempts: 5, backoff: 'fixed', baseDelay: '1s' },
                circuitBreaker: { failureThreshold: 1000 },
                operations: {
                  tell: { ...operation, trigger: { resource: 'Order', event: 'create' } },
                  hand: operation,
                },
              },
            },
          },
        }),
      )
    })
    afterAll(() => sink.stop())

    const send = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
      server().request(method, `/api/v1/shop/${path}`, {
        token: server().admin,
        ...(body && { body }),
        ...(headers && { headers }),
      })
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})
    /** Does all that is due, until nothing is. */
    const settle = async () => {
      for (let at = 0; at < 6; at++) {
        server().clock.advance(LONG_MS)
        await tick()
      }
    }
    const of = (number: string) => sink.received.filter(({ body }) => JSON.parse(body).number === number)
    const endsOf = async (number: string, recordId: string) => {
      const all = of(number)
      const { items } = (await send('GET', `integrations/courier/log?recordId=${recordId}`)).body.data
      const runs = new Set(all.map(({ headers }) => headers['idempotency-key']))
      const successes = items.filter(({ success }: { success: boolean }) => success).length
      const id = [...runs][0]
      const run = (await send('GET', `integrations/courier/runs/${String(id)}`)).body.data
      return {
        runs: runs.size,
        bodies: new Set(all.map(({ body }) => body)).size,
        successes,
        status: run?.status,
      }
    }
    const ONCE = { runs: 1, bodies: 1, successes: 1, status: 'succeeded' }

    it('5.1, 5.3: wherever it dies, what a write has set off is sent under one key, and noted once', async () => {
      const power = new Power(server().kernel.get(StoreCapability), 'statements')
      const run = async (death: number) => {
        const number = `T${death}`
        const { id } = (await send('POST', 'orders', { number })).body.data
        power.moments = 0
        power.left = death
        for (let at = 0; at < 3; at++) {
          await tick().catch(() => undefined)
          server().clock.advance(2000)
        }
        const { moments } = power
        power.left = Infinity
        await settle()
        expect(await endsOf(number, id), `death at moment ${death}`).toEqual(ONCE)
        return moments
      }
      const moments = await run(Infinity)
      expect(moments).toBeGreaterThan(5)
      for (let death = 1; death <= moments; death += STRIDE) await run(death)
    }, 300_000)

    it('5.1: wherever it dies, a run by hand that was begun is gone on with under its key', async () => {
      const power = new Power(server().kernel.get(StoreCapability), 'statements')
      const run = async (death: number) => {
        const number = `H${death}`
        const { id } = (await send('POST', 'orders', { number })).body.data
        await settle()
        const before = of(number).length
        power.moments = 0
        power.left = death
        const { status } = await send('POST', 'integrations/courier/operations/hand', { recordId: id })
        const { moments } = power
        power.left = Infinity
        await settle()
        const sent = of(number).slice(before)
        // Nothing left, or all of it is done: what was sent once is sent until it is taken.
        if (sent.length > 0 || status === 200) {
          expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
          const key = String(sent[0]?.headers['idempotency-key'])
          const { body } = await send('GET', `integrations/courier/runs/${key}`)
          expect(body.data?.status, `death at moment ${death}`).toBe('succeeded')
        }
        return moments
      }
      const moments = await run(Infinity)
      expect(moments).toBeGreaterThan(5)
      for (let death = 1; death <= moments; death += STRIDE) await run(death)
    }, 300_000)

    for (const bank of ['bank', 'slowBank'])
      it(`7.3, 7.5, 8.5: wherever it dies, a message to ${bank} that is sent until it is taken is written once`, async () => {
        const power = new Power(server().kernel.get(StoreCapability), 'statements')
        const run = async (death: number) => {
          const number = `${bank} ${death}`
          const message = { id: number, number }
          power.moments = 0
          power.left = death
          const first = await send('POST', `webhooks/${bank}`, message)
          if (bank === 'slowBank') await tick().catch(() => undefined)
          const { moments } = power
          power.left = Infinity
          // Whoever got no answer sends it again, as does one who has lost it.
          const again = await send('POST', `webhooks/${bank}`, message)
          expect([200, 202], `death at moment ${death}`).toContain(again.status)
          await settle()
          const { items } = (await send('GET', `orders?filter[number]=${encodeURIComponent(number)}`)).body
            .data
          expect(items, `death at moment ${death} of ${moments}, answered ${first.status}`).toHaveLength(1)
          return moments
        }
        const moments = await run(Infinity)
        expect(moments).toBeGreaterThan(3)
        for (let death = 1; death <= moments; death += STRIDE) await run(death)
      }, 300_000)
  })
}
