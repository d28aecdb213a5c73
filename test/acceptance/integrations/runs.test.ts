import { setTimeout as delay } from 'node:timers/promises'
import { SYSTEM } from '@svc/kernel'
import { column, StoreCapability } from '@svc/store/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import type { SinkAnswer } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import type { TestKernel } from '../../kit/test-kernel.ts'
import { CONFIG, KEY, RESOURCES, TOLD, useCourier } from './courier.ts'

/** Orders that those without the role `admin` get as long as they are open. */
const SHUT_ORDERS = {
  create: ['admin'],
  list: 'state == "open" or hasRole("admin")',
  get: 'state == "open" or hasRole("admin")',
  update: ['admin'],
  delete: ['admin'],
}

for (const store of STORES) {
  describe(`runs of integrations on ${store.name}`, () => {
    const courier = useCourier(store)
    const { ask, forget, letters, look, order, received, send, submit, tick } = courier

    it('4.9, 5.1: a write sets a run off if and only if it is there, with the record as it left it', async () => {
      await submit(TOLD)
      const id = await order('A1', { state: 'new' })
      await order('quiet')
      expect((await send('PATCH', `orders/${id}`, { number: null })).status).toBe(422)
      await send('PATCH', `orders/${id}`, { state: 'packed' })
      expect(received()).toEqual([])
      await tick()
      expect(received().map(({ body }) => JSON.parse(body))).toEqual([
        { number: 'A1', state: 'new' },
        { number: 'A1', state: 'packed' },
      ])
      const [last, first] = (await look('log')).items
      expect(first).toMatchObject({
        integration: courier.name,
        operation: 'tell',
        direction: 'outbound',
        method: 'POST',
        url: `${courier.sink.url}/parcels`,
        requestBody: { number: 'A1', state: 'new' },
        responseStatus: 200,
        responseBody: { ok: true },
        success: true,
        errorMessage: null,
        attemptNumber: 1,
        triggeredBy: 'event:Order.create',
        resource: 'Order',
        recordId: id,
      })
      expect(last.triggeredBy).toBe('event:Order.update')
      expect((await look(`runs/${first.runId}`)).status).toBe('succeeded')
    })

    it('5.1, 4.4: every attempt sends the same bytes under the same key, after pauses that retry says', async () => {
      await submit(TOLD, { retry: { maxAttempts: 3, backoff: 'fixed', baseDelay: '10s' } })
      courier.answer = (at) => ({ status: at < 3 ? 503 : 200 })
      const id = await order('A2')
      await tick()
      await tick()
      expect(received()).toHaveLength(1)
      courier.server.clock.advance(9_000)
      await tick()
      expect(received()).toHaveLength(1)
      courier.server.clock.advance(1_001)
      await tick()
      expect(received()).toHaveLength(2)
      courier.server.clock.advance(10_001)
      await tick()
      const all = received()
      expect(all).toHaveLength(3)
      expect(new Set(all.map(({ body }) => body)).size).toBe(1)
      expect(new Set(all.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
      const entries = (await look(`log?recordId=${id}`)).items
      expect(entries.map((one: Record<string, unknown>) => [one['attemptNumber'], one['success']])).toEqual([
        [3, true],
        [2, false],
        [1, false],
      ])
      expect(entries[0].runId).toBe(all[0]?.headers['idempotency-key'])
      expect(await letters(`?recordId=${id}`)).toEqual([])
    })

    it('4.4: exponential pauses double up to maxDelay, of which half to all is waited', async () => {
      const { clock } = courier.server
      const { randomBytes } = clock
      onTestFinished(() => void (clock.randomBytes = randomBytes))
      const retry = { maxAttempts: 6, baseDelay: '4s', maxDelay: '30s' }
      const usual = { maxAttempts: 7 }
      const cases: readonly (readonly [chance: number, retry: object, pauses: readonly number[]])[] = [
        [0, retry, [2000, 4000, 8000, 15_000, 15_000]],
        [255, retry, [4000, 8000, 16_000, 30_000, 30_000]],
        [51, { ...retry, maxAttempts: 2 }, [2400]],
        [255, usual, [1000, 2000, 4000, 8000, 16_000, 30_000]],
      ]
      courier.answer = () => ({ status: 500 })
      for (const [chance, of, pauses] of cases) {
        clock.randomBytes = (size) => (size === 1 ? Uint8Array.of(chance) : randomBytes(size))
        await submit(TOLD, { retry: of })
        forget()
        await order('A5')
        await tick()
        for (const [at, ms] of pauses.entries()) {
          clock.advance(ms - 1)
          await tick()
          expect(received(), `${chance}, pause ${at}`).toHaveLength(at + 1)
          clock.advance(1)
          await tick()
          expect(received(), `${chance}, pause ${at}`).toHaveLength(at + 2)
        }
        clock.advance(60_000)
        await tick()
        expect(received()).toHaveLength(pauses.length + 1)
      }
    })

    it('4.4: Retry-After is waited for, and what retryOn does not name is not tried again', async () => {
      await submit(TOLD, { retry: { maxAttempts: 3, backoff: 'fixed', baseDelay: '1s', retryOn: [429] } })
      courier.answer = (at) =>
        at === 1 ? { status: 429, headers: { 'Retry-After': '120' } } : { status: 500 }
      const id = await order('A3')
      await tick()
      courier.server.clock.advance(119_000)
      await tick()
      expect(received()).toHaveLength(1)
      courier.server.clock.advance(1_001)
      await tick()
      expect(received()).toHaveLength(2)
      expect(await letters(`?recordId=${id}`)).toMatchObject([{ attempts: 2, status: 'pending' }])
    })

    it('4.4: a POST without an idempotency key is sent again only if it cannot have arrived, or was answered by 429 or 503', async () => {
      const tell = { ...TOLD.tell, idempotency: false }
      await submit({ tell }, { retry: { maxAttempts: 2, baseDelay: '1s' } })
      const attempts = async (said: SinkAnswer) => {
        forget()
        courier.answer = () => said
        await order('A4')
        for (let at = 0; at < 3; at++) {
          await tick()
          courier.server.clock.advance(5000)
        }
        return received().length
      }
      expect(await attempts({ status: 500 })).toBe(1)
      expect(await attempts({ status: 503 })).toBe(2)
      expect(await attempts('die')).toBe(1)
      expect(received()[0]?.headers['idempotency-key']).toBeUndefined()
    })

    it('5.2: runs about one record leave in order, and those of other records do not wait', async () => {
      await submit(TOLD, { retry: { maxAttempts: 2, backoff: 'fixed', baseDelay: '60s' } })
      courier.answer = () => ({
        status: JSON.parse(courier.sink.received.at(-1)!.body).number === 'slow' ? 503 : 200,
      })
      const slow = await order('slow')
      await send('PATCH', `orders/${slow}`, { state: 'later' })
      await order('quick')
      await tick()
      const numbers = () => received().map(({ body }) => JSON.parse(body))
      expect(numbers()).toEqual(
        expect.arrayContaining([
          { number: 'slow', state: '' },
          { number: 'quick', state: '' },
        ]),
      )
      expect(numbers()).toHaveLength(2)
      courier.server.clock.advance(60_001)
      await tick()
      // Its last attempt failed: it is a dead letter, and the next one goes on.
      expect(numbers().slice(2)).toEqual([
        { number: 'slow', state: '' },
        { number: 'slow', state: 'later' },
      ])
    })

    it('1: a server does integrations.concurrency runs at once, 16 unless said', async () => {
      await submit(TOLD)
      /** How many were under way together at most. */
      const together = async (orders: number, expected: number, to: Pick<TestKernel, 'kernel'>) => {
        let allAreThere = () => undefined as void
        const all = new Promise<void>((resolve) => (allAreThere = resolve))
        let [running, most] = [0, 0]
        courier.answer = async () => {
          running += 1
          most = Math.max(most, running)
          // One more would come meanwhile.
          if (running === expected) setTimeout(allAreThere, 100)
          await Promise.race([all, delay(2000)])
          running -= 1
          return { status: 200 }
        }
        for (let at = 0; at < orders; at += 1) await order('J1')
        await to.kernel.callAs(SYSTEM)('jobs.tick', {})
        return most
      }
      expect(await together(20, 16, courier.server)).toBe(16)
      const config = { ...CONFIG, integrations: { concurrency: 3 } }
      const narrow = await startSecond(courier.server.database, courier.server.clock, [], config)
      onTestFinished(() => narrow.stop())
      expect(await together(6, 3, narrow)).toBe(3)
    })

    it('5.4: a breaker opens after as many failures as it says, lets one at a time find out, and closes', async () => {
      await submit(
        { ping: { path: '/ping' } },
        { circuitBreaker: { failureThreshold: 3, successThreshold: 2, timeout: '30s' } },
      )
      courier.answer = () => ({ status: 500 })
      for (let at = 0; at < 3; at++) expect((await ask('operations/ping')).status).toBe(502)
      const blocked = await ask('operations/ping')
      expect([blocked.status, blocked.body.error_code]).toEqual([503, 'CIRCUIT_OPEN'])
      expect(blocked.headers.get('retry-after')).toBe('30')
      expect(received()).toHaveLength(3)
      expect(await look('status')).toMatchObject({
        circuitBreaker: { state: 'open', failures: 3, openedAt: expect.any(String) },
      })
      expect((await look('health')).status).toBe('unhealthy')
      courier.server.clock.advance(30_000)
      expect((await ask('operations/ping')).status).toBe(502)
      expect((await ask('operations/ping')).body.error_code).toBe('CIRCUIT_OPEN')
      courier.server.clock.advance(30_000)
      courier.answer = () => ({ status: 204 })
      expect((await ask('operations/ping')).status).toBe(200)
      expect((await look('status')).circuitBreaker).toMatchObject({ state: 'half_open', successes: 1 })
      expect((await ask('operations/ping')).status).toBe(200)
      expect((await look('status')).circuitBreaker).toMatchObject({ state: 'closed', failures: 0 })
    })

    it('5.4: while it is half open one attempt passes, the others are told to wait', async () => {
      await submit(
        { ping: { path: '/ping' } },
        { circuitBreaker: { failureThreshold: 1, timeout: '1s' }, timeout: '1s' },
      )
      courier.answer = () => ({ status: 500 })
      await ask('operations/ping')
      courier.server.clock.advance(1000)
      courier.answer = () => 'hang'
      forget()
      const all = await Promise.all([1, 2, 3, 4].map(() => ask('operations/ping')))
      expect(received()).toHaveLength(1)
      expect(all.map(({ body }) => body.error_code).toSorted()).toEqual([
        'CIRCUIT_OPEN',
        'CIRCUIT_OPEN',
        'CIRCUIT_OPEN',
        'UPSTREAM_TIMEOUT',
      ])
    })

    it('5.4: runs that were set off wait for an open breaker and lose no attempt', async () => {
      await submit(TOLD, { circuitBreaker: { failureThreshold: 1, successThreshold: 1, timeout: '60s' } })
      courier.answer = (at) => ({ status: at === 1 ? 500 : 200 })
      await order('B1')
      await tick()
      const id = await order('B2')
      await tick()
      expect(received()).toHaveLength(1)
      courier.server.clock.advance(60_001)
      await tick()
      expect(received()).toHaveLength(2)
      expect((await look(`log?recordId=${id}`)).items).toMatchObject([{ attemptNumber: 1, success: true }])
    })

    it('5.5: a limiter refuses what is too much, or has it wait in turn, and moves no breaker', async () => {
      const rateLimit = { requestsPerSecond: 0.1, burstSize: 2, onExceeded: 'reject' }
      await submit({ ping: { path: '/ping' } }, { rateLimit, circuitBreaker: { failureThreshold: 1 } })
      const answers = [
        await ask('operations/ping'),
        await ask('operations/ping'),
        await ask('operations/ping'),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
      expect(answers[2]?.body.error_code).toBe('RATE_LIMITED')
      expect(answers[2]?.headers.get('retry-after')).toBe('10')
      const status = await look('status')
      expect(status.rateLimit).toEqual({
        requestsPerSecond: 0.1,
        burstSize: 2,
        available: 0,
        queued: 0,
        rejected: 1,
      })
      expect(status.circuitBreaker.state).toBe('closed')
      expect((await look('health')).rateLimit).toBe('limited')
      courier.server.clock.advance(10_000)
      expect((await ask('operations/ping')).status).toBe(200)
      await submit({ ping: { path: '/ping' } }, { rateLimit: { requestsPerSecond: 0.001 } })
      courier.server.clock.advance(100_000)
      await ask('operations/ping')
      expect((await ask('operations/ping')).body.error_code).toBe('RATE_LIMITED')
    })

    it('5.5: a run that was set off waits in turn', async () => {
      await submit(TOLD, { rateLimit: { requestsPerSecond: 0.1 } })
      courier.server.clock.advance(100_000)
      await order('C1')
      await order('C2')
      await tick()
      expect(received()).toHaveLength(1)
      courier.server.clock.advance(10_001)
      await tick()
      expect(received()).toHaveLength(2)
    })

    it('5.6: with Prefer: respond-async a run goes on by itself, and its end can be asked for', async () => {
      await submit({ post: { method: 'POST', path: '/a', body: { a: 1 } } })
      const { status, body } = await ask('operations/post', {}, { Prefer: 'respond-async' })
      expect([status, body.data]).toEqual([202, { runId: expect.any(String), status: 'queued' }])
      const { runId } = body.data
      expect(received()).toEqual([])
      expect(await look(`runs/${runId}`)).toMatchObject({ status: 'queued', attempts: 0, result: null })
      await tick()
      expect(await look(`runs/${runId}`)).toEqual({
        runId,
        operation: 'post',
        status: 'succeeded',
        attempts: 1,
        recordId: null,
        result: {
          success: true,
          skipped: false,
          status: 200,
          response: { ok: true },
          written: [],
          deadLetterId: null,
        },
      })
      expect(
        (await send('GET', `integrations/${courier.name}/runs/${runId.replace(/.$/, 'x')}`)).status,
      ).toBe(404)
    })

    it('5.6: by hand the answer waits for retries', async () => {
      await submit(
        { post: { method: 'POST', path: '/a', body: { a: 1 } } },
        { retry: { maxAttempts: 3, baseDelay: '5ms' } },
      )
      courier.answer = (at) => ({ status: at < 3 ? 502 : 200 })
      const { status, body } = await ask('operations/post')
      expect([status, body.data.attempts]).toEqual([200, 3])
      expect(new Set(received().map(({ headers }) => headers['idempotency-key']))).toEqual(
        new Set([body.data.runId]),
      )
    })

    it('2.9: who retries with the same Idempotency-Key is told what came of it', async () => {
      await submit({ tell: TOLD.tell })
      courier.answer = () => ({ status: 500 })
      const id = await order('D5')
      await tick()
      const [letter] = await letters(`?recordId=${id}`)
      courier.answer = () => ({ status: 200 })
      forget()
      const again = () => ask(`deadletter/${letter.id}/retry`, {}, { 'Idempotency-Key': `k-${courier.name}` })
      const [first, second] = [await again(), await again()]
      expect([first.status, second.status, second.body.data]).toEqual([200, 200, first.body.data])
      expect(second.headers.get('idempotency-replayed')).toBe('true')
      expect(received()).toHaveLength(1)
    })

    it('6.1: view sees entries without bodies, manage sees them, and others see nothing', async () => {
      await submit(
        { post: { method: 'POST', path: '/a', body: { a: 1 } } },
        { permissions: { view: ['viewer'], manage: ['keeper'], execute: ['admin'] } },
      )
      courier.answer = () => ({ status: 500, body: 'no' })
      const { body } = await ask('operations/post')
      const viewer = await courier.server.account(`viewer-${store.name}`, ['viewer'])
      const keeper = await courier.server.account(`keeper-${store.name}`, ['viewer', 'keeper'])
      const stranger = await courier.server.account(`stranger-${store.name}`)
      const path = `log?runId=${body.data.runId}`
      expect((await look(path, viewer.token)).items).toMatchObject([
        { requestBody: null, responseBody: null, responseStatus: 500 },
      ])
      expect((await look(path, keeper.token)).items).toMatchObject([
        { requestBody: { a: 1 }, responseBody: 'no' },
      ])
      const letter = `deadletter/${body.data.deadLetterId}`
      expect((await look(letter, viewer.token)).request).toBeNull()
      expect((await look(letter, keeper.token)).request).toMatchObject({ body: { a: 1 } })
      for (const at of ['log', 'status', 'health', 'deadletter', letter])
        expect(
          (await send('GET', `integrations/${courier.name}/${at}`, undefined, stranger.token)).status,
        ).toBe(403)
      for (const at of [`${letter}/retry`, `${letter}/discard`, 'deadletter/retry'])
        expect((await send('POST', `integrations/${courier.name}/${at}`, {}, viewer.token)).status).toBe(403)
      expect((await send('GET', 'integrations/nobody/log')).status).toBe(404)
    })

    it('6.1, 5.6: what a run was answered is for manage and for who did it by hand, and its record needs get', async () => {
      await courier.server.submit(
        JSON.stringify({
          domain: {
            name: 'shop',
            version: '1.0.0',
            resources: { Order: { ...RESOURCES.Order, permissions: SHUT_ORDERS } },
            integrations: {
              [courier.name]: {
                type: 'rest',
                baseUrl: courier.sink.url,
                permissions: { view: ['clerk'], execute: ['clerk'], manage: ['keeper'] },
                operations: {
                  ...TOLD,
                  put: { resource: 'Order', method: 'POST', path: '/p', body: '{number}' },
                },
              },
            },
          },
        }),
        { allow_destructive: true },
      )
      const [clerk, other, keeper] = [
        await courier.server.account(`clerk-${store.name}`, ['clerk']),
        await courier.server.account(`other-${store.name}`, ['clerk']),
        await courier.server.account(`runs-keeper-${store.name}`, ['clerk', 'keeper']),
      ]
      const shown = await order('S1', { state: 'open' })
      const hidden = await order('S2', { state: 'closed' })
      await tick()
      const runs = new Map(
        (await look('log', clerk.token)).items.map(({ recordId, runId }: Record<string, string>) => [
          recordId,
          runId,
        ]),
      )
      const see = async (runId: unknown, token: string) => {
        const { status, body } = await send(
          'GET',
          `integrations/${courier.name}/runs/${runId}`,
          undefined,
          token,
        )
        return [status, body.data?.result.response ?? null]
      }
      expect(await see(runs.get(shown), clerk.token)).toEqual([200, null])
      expect(await see(runs.get(hidden), clerk.token)).toEqual([403, null])
      expect(await see(runs.get(hidden), keeper.token)).toEqual([200, { ok: true }])
      const done = await send(
        'POST',
        `integrations/${courier.name}/operations/put`,
        { recordId: shown },
        clerk.token,
      )
      const { runId } = done.body.data
      expect(await see(runId, clerk.token)).toEqual([200, { ok: true }])
      expect(await see(runId, other.token)).toEqual([200, null])
      await send('PATCH', `orders/${shown}`, { state: 'closed' })
      expect(await see(runId, clerk.token)).toEqual([403, null])
      await send('DELETE', `orders/${shown}`)
      expect(await see(runId, clerk.token)).toEqual([200, { ok: true }])
      expect(await see(runId, other.token)).toEqual([404, null])
      expect(await see(runId, keeper.token)).toEqual([200, { ok: true }])
    })

    it('6.3, 6.4: status and health are counted, and call nobody', async () => {
      await submit({ ping: { path: '/ping' } })
      courier.server.clock.advance(301_000)
      expect(await look('status')).toEqual({
        name: courier.name,
        circuitBreaker: {
          state: 'disabled',
          failures: 0,
          successes: 0,
          openedAt: null,
          retryAt: null,
        },
        rateLimit: null,
        recent: {
          windowSeconds: 300,
          total: 0,
          succeeded: 0,
          failed: 0,
          successRate: null,
          failureRate: null,
        },
      })
      courier.answer = (at) => ({ status: at === 1 ? 500 : 200 })
      for (let at = 0; at < 4; at++) await ask('operations/ping')
      expect((await look('status')).recent).toMatchObject({ total: 4, failed: 1, successRate: 0.75 })
      expect(await look('health')).toMatchObject({
        status: 'degraded',
        errorRate: 0.25,
        averageResponseMs: expect.any(Number),
        rateLimit: 'none',
        queueSize: 0,
        oldestQueuedSeconds: null,
        connected: null,
        consumers: [],
      })
      expect(received()).toHaveLength(4)
      const auth = { type: 'bearer', token: '${SVC_DOMAIN_COURIER_NOT_SET:nothing}' }
      await submit({ ping: { path: '/ping' } }, { auth })
      expect((await look('health')).status).toBe('unconfigured')
      await submit({ ping: { path: '/ping' } }, { enabled: false })
      expect((await look('health')).status).toBe('disabled')
    })

    it('3.2, 6.7: neither log nor table holds a secret, nor what is sensitive in a record', async () => {
      await submit(
        {
          tell: {
            method: 'POST',
            path: '/parcels',
            body: { code: '{code}', number: '{number}', api_key: '{number}', pin: '{number}' },
            trigger: { resource: 'Order', event: 'create' },
          },
        },
        { auth: { type: 'bearer', token: '${SVC_DOMAIN_COURIER_KEY}' }, redact: ['PIN'] },
      )
      courier.answer = () => ({ status: 500, headers: { 'content-type': 'text/plain' }, body: `no, ${KEY}` })
      const id = await order('E1', { code: 'open-sesame' })
      await tick()
      expect(JSON.parse(received()[0]!.body).code).toBe('open-sesame')
      const [entry] = (await look(`log?recordId=${id}`)).items
      const hidden = '[REDACTED]'
      expect(entry.requestBody).toEqual({ code: hidden, number: 'E1', api_key: hidden, pin: hidden })
      expect(entry.responseBody).toBe(`no, ${hidden}`)
      expect((await letters(`?recordId=${id}`))[0].request.body).toEqual(entry.requestBody)
      const rows = await dump()
      expect(rows).toContain('E1')
      expect(rows).not.toContain(KEY)
      expect(rows).not.toContain('open-sesame')
    })

    /** What the tables of integrations hold of requests and answers. */
    async function dump(): Promise<string> {
      const kinds = {
        work: 'text',
        error: 'json',
        url: 'text',
        requestBody: 'json',
        responseBody: 'json',
      } as const
      const held = {
        runs: ['work', 'error'],
        log: ['url', 'requestBody', 'responseBody'],
        dead_letters: ['work', 'error'],
      } as const
      const rows = []
      for (const [what, names] of Object.entries(held)) {
        const columns = names.map((one) => column(one, kinds[one], true))
        const table = {
          name: `shop__integrations__${what}`,
          columns,
          primaryKey: [],
          indexes: [],
          foreignKeys: [],
        }
        const plan = { table, columns, where: { op: 'always' as const }, order: [] }
        rows.push(...(await courier.server.kernel.get(StoreCapability).select(plan)))
      }
      return JSON.stringify(rows)
    }

    it('4.9, 6.11: what a run does not do is told on the bus', async () => {
      await submit({ pingAll: { path: '/ping' } })
      const heard: string[] = []
      const bus = courier.server.kernel.bus
      const ends = ['succeeded', 'failed'].map((what) =>
        bus.on(`svc.shop.integrations.${courier.name}.ping-all.${what}`, () => void heard.push(what)),
      )
      const letter = bus.on(
        `svc.shop.integrations.${courier.name}.deadletter`,
        () => void heard.push('deadletter'),
      )
      await ask('operations/pingAll')
      courier.answer = () => ({ status: 500 })
      await ask('operations/pingAll')
      for (const end of [...ends, letter]) end()
      expect(heard).toEqual(['succeeded', 'deadletter', 'failed'])
    })

    it('6.11: operations are actions for scripts and workflows, which nobody else may call', async () => {
      await submit({
        tellAll: { method: 'POST', path: '/all', input: { text: 'string' }, body: { text: '$input.text' } },
      })
      const action = `svc.shop.integrations.${courier.name}.tell-all`
      const done = await courier.server.kernel.callAs(SYSTEM)(action, { input: { text: 'hello' } })
      expect(done).toMatchObject({ success: true, attempts: 1, status: 200 })
      expect(received().map(({ body }) => body)).toEqual(['{"text":"hello"}'])
      expect((await look('log')).items[0].triggeredBy).toBe('manual:system')
      const document = await courier.server.request('GET', '/api/v1/shop/openapi.json')
      expect(JSON.stringify(document.body)).not.toContain(courier.name)
    })

    it('4.1, 4.4, 4.9: what cannot be is refused where it stands', async () => {
      const refused = async (operation: object, more: object = {}) => {
        const integrations = {
          courier: { type: 'rest', baseUrl: courier.sink.url, ...more, operations: { a: operation } },
        }
        const { status, body } = await courier.server.request('POST', '/api/v1/domains', {
          token: courier.server.admin,
          body: {
            content: JSON.stringify({
              domain: { name: 'shop', version: '1.0.0', resources: RESOURCES, integrations },
            }),
          },
        })
        expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
        return JSON.stringify(body.errors)
      }
      expect(await refused({}, { retry: { maxAttempts: 21 } })).toContain('courier.retry.maxAttempts')
      expect(await refused({}, { retry: {}, resilience: { retry: {} } })).toContain('is written twice')
      expect(await refused({}, { retry: { baseDelay: '1m', maxDelay: '1s' } })).toContain(
        "shorter than 'baseDelay'",
      )
      expect(await refused({}, { retry: { retryOn: ['3xx'] } })).toContain('retryOn')
      expect(await refused({}, { rateLimit: { requestsPerSecond: 0 } })).toContain('requestsPerSecond')
      expect(await refused({}, { rateLimit: {} })).toContain('requestsPerSecond')
      expect(await refused({ trigger: { resource: 'Order' } })).toContain('event')
      expect(await refused({ trigger: { resource: 'Nothing', event: 'create' } })).toContain('Nothing')
      expect(await refused({ trigger: { schedule: 'daily', event: 'create' } })).toContain('beside')
      const trigger = { resource: 'Order', event: 'create', condition: 'nothing > 1' }
      expect(await refused({ trigger })).toContain('nothing')
    })
  })
}
