import { createHmac } from 'node:crypto'
import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { follow } from '../../kit/event-stream.ts'
import type { SendRequest } from '../../kit/request.ts'
import { type SecondServer, startSecond } from '../../kit/second-server.ts'
import { type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { startTokenServer, type TokenServer } from './token-server.ts'

// What counts once on all servers: three of them on one database. A file of SQLite is for one.

const BASE = '/api/v1/shop/integrations'
const SECRET = 'what-the-bank-and-we-know'
const JWT = { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 1000 * 86_400 }

for (const store of STORES.filter(({ name }) => name === 'postgres'))
  describe(`integrations on three servers over one ${store.name}`, () => {
    let first: TestKernel
    let others: readonly SecondServer[]
    let all: readonly SendRequest[]
    let issuer: TokenServer
    let sink: Sink
    let answer: (path: string) => SinkAnswer = () => ({ status: 200 })
    const config = {
      outbound: { allow_private: ['127.0.0.1'] },
      jobs: { enabled: false },
      integrations: { public_url: 'https://shop.example/' },
      auth: { jwt: JWT },
    }
    beforeAll(async () => {
      process.env['SVC_DOMAIN_THREE_SECRET'] = SECRET
      issuer = await startTokenServer()
      sink = await startSink(({ path, headers }) => {
        if (!path.startsWith('/oauth')) return answer(path)
        const token = (headers.authorization ?? '').replace('Bearer ', '')
        return { status: issuer.knows(token) ? 200 : 401 }
      })
      first = await startTestKernel({ store, config })
      others = [
        await startSecond(first.database, first.clock, [], config),
        await startSecond(first.database, first.clock, [], config),
      ]
      all = [first.request, ...others.map(({ request }) => request)]
      await first.submit(definition())
      await heard(() => true)
    }, 120_000)
    /** Waits until all of them have the definition in which this is so. */
    const heard = async (isSo: (operation: { readonly triggers: readonly object[] }) => boolean) => {
      for (const request of all)
        await vi.waitFor(
          async () => {
            const { body } = await request('GET', `${BASE}/courier`, { token: first.admin })
            expect(body.data?.operations.map(isSo)).toEqual([true])
          },
          { timeout: 20_000, interval: 50 },
        )
    }
    afterAll(async () => {
      for (const one of others ?? []) await one.stop()
      await first?.stop()
      await issuer?.stop()
      await sink?.stop()
      delete process.env['SVC_DOMAIN_THREE_SECRET']
    })
    const definition = () => {
      const secret = '${SVC_DOMAIN_THREE_SECRET}'
      const tell = { method: 'POST', path: '/tell', body: { number: '{number}' }, resource: 'Order' }
      return JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: {
            Order: { object: { number: 'string' } },
            Sheet: { mode: 'sheet', object: { title: 'string' } },
          },
          integrations: {
            account: {
              type: 'rest',
              baseUrl: sink.url,
              auth: {
                type: 'oauth2_authorization_code',
                tokenUrl: `${issuer.url}/token`,
                authorizationUrl: `${issuer.url}/authorize`,
                clientId: 'shop',
                clientSecret: secret,
              },
              operations: { ask: { path: '/oauth' } },
            },
            courier: { type: 'rest', baseUrl: sink.url, operations: { tell } },
            fragile: {
              type: 'rest',
              baseUrl: sink.url,
              circuitBreaker: { failureThreshold: 3, successThreshold: 2, timeout: '30s' },
              operations: { ask: { path: '/fragile' } },
            },
            slow: {
              type: 'rest',
              baseUrl: sink.url,
              rateLimit: { requestsPerSecond: 0.001, burstSize: 5, onExceeded: 'reject' },
              operations: { ask: { path: '/slow' } },
            },
            bank: {
              type: 'webhook',
              signature: { secret, content: '{nonce}.{body}', nonceHeader: 'X-Nonce' },
              replayProtection: { nonceHeader: 'X-Nonce' },
              write: { resource: 'Order', action: 'create', mapping: { number: '$payload.number' } },
            },
          },
        },
      })
    }
    /** As many requests at once, in turn to each server; their statuses. */
    const atOnce = async (
      count: number,
      method: string,
      path: string,
      {
        body,
        headers,
        token = first.admin,
      }: { body?: object; headers?: Record<string, string>; token?: string } = {},
    ): Promise<readonly number[]> => {
      const asked = Array.from({ length: count }, (_, at) =>
        all[at % all.length]!(method, path, { token, ...(body && { body }), ...(headers && { headers }) }),
      )
      return (await Promise.all(asked)).map(({ status }) => status)
    }
    const counted = (statuses: readonly number[]): Record<number, number> => {
      const counts: Record<number, number> = {}
      for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
      return counts
    }
    const begin = async () => {
      const { body } = await first.request('POST', `${BASE}/account/oauth/connect`, {
        token: first.admin,
        body: {},
      })
      return issuer.consent(body.data.authorizationUrl)
    }

    it('[6.8] a state is good for one callback of twenty', async () => {
      const before = issuer.asked.length
      const back = await begin()
      const statuses = await atOnce(20, 'GET', `${BASE}/account/oauth/callback?${back}`)
      expect(counted(statuses)).toEqual({ 200: 1, 400: 19 })
      expect(issuer.asked.length - before).toBe(1)
    })

    it('[6.9] a hundred calls with a token that is over cause one refresh', async () => {
      const callback = await first.request('GET', `${BASE}/account/oauth/callback?${await begin()}`)
      expect(callback.status).toBe(200)
      expect(counted(await atOnce(3, 'POST', `${BASE}/account/operations/ask`, { body: {} }))).toEqual({
        200: 3,
      })
      const before = issuer.asked.length
      first.clock.advance(3_600_000)
      const statuses = await atOnce(100, 'POST', `${BASE}/account/operations/ask`, { body: {} })
      expect(counted(statuses)).toEqual({ 200: 100 })
      expect(issuer.asked.slice(before).map((one) => one['grant_type'])).toEqual(['refresh_token'])
    })

    it('[6.10] of twenty retries of a dead letter one sends, under the key of before', async () => {
      answer = () => ({ status: 500 })
      const order = await first.request('POST', '/api/v1/shop/orders', {
        token: first.admin,
        body: { number: 'n' },
      })
      const failed = await first.request('POST', `${BASE}/courier/operations/tell`, {
        token: first.admin,
        body: { recordId: order.body.data.id },
      })
      expect(failed.status).toBe(502)
      const { deadLetterId } = failed.body.data
      answer = () => ({ status: 200 })
      const before = sink.received.length
      const statuses = await atOnce(20, 'POST', `${BASE}/courier/deadletter/${deadLetterId}/retry`, {
        body: {},
      })
      expect(counted(statuses)).toEqual({ 200: 1, 409: 19 })
      const keys = sink.received.slice(before - 1).map(({ headers }) => headers['idempotency-key'])
      expect(keys).toEqual([keys[0], keys[0]])
    })

    it('[7.3] a nonce counts once of twenty', async () => {
      const body = { number: 'by the bank' }
      const nonce = 'a-nonce-of-its-own'
      const digest = createHmac('sha256', SECRET)
        .update(`${nonce}.${JSON.stringify(body)}`)
        .digest('hex')
      const headers = { 'x-nonce': nonce, 'x-signature': digest }
      expect(counted(await atOnce(20, 'POST', '/api/v1/shop/webhooks/bank', { body, headers }))).toEqual({
        200: 1,
        401: 19,
      })
      const orders = await first.request('GET', '/api/v1/shop/orders?filter[number]=by%20the%20bank', {
        token: first.admin,
      })
      expect(orders.body.data.items).toHaveLength(1)
    })

    it('[9.7] a ticket opens one stream of twenty', async () => {
      const path = '/api/v1/domains/shop/events'
      const { body } = await first.request('POST', `${path}/ticket`, { token: first.admin })
      const kernels = [first, ...others]
      const streams = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          follow(kernels[at % 3]!, `${path}?ticket=${body.data.ticket}`, {}),
        ),
      )
      expect(counted(streams.map(({ status }) => status))).toEqual({ 200: 1, 401: 19 })
      await Promise.all(streams.map((stream) => stream.close()))
    })

    it('[5.4] a breaker is open on all within a second, and one request finds out whether to close it', async () => {
      const ask = `${BASE}/fragile/operations/ask`
      answer = () => ({ status: 500 })
      for (let at = 0; at < 3; at += 1)
        expect((await first.request('POST', ask, { token: first.admin, body: {} })).status).toBe(502)
      await vi.waitFor(
        async () => expect(counted(await atOnce(3, 'POST', ask, { body: {} }))).toEqual({ 503: 3 }),
        { timeout: 1000, interval: 50 },
      )
      first.clock.advance(30_000)
      // The other side is slow to answer: the one that finds out is alone with it meanwhile.
      answer = () => ({ status: 200 })
      const before = sink.received.length
      const statuses = await atOnce(30, 'POST', ask, { body: {} })
      expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
      expect(counted(statuses)[200]).toBeGreaterThan(0)
      expect(sink.received.length - before).toBe(counted(statuses)[200])
      await vi.waitFor(
        async () => expect(counted(await atOnce(3, 'POST', ask, { body: {} }))).toEqual({ 200: 3 }),
        { timeout: 5000, interval: 200 },
      )
    })

    it('[5.5] a limiter is one for all', async () => {
      const statuses = await atOnce(24, 'POST', `${BASE}/slow/operations/ask`, { body: {} })
      expect(counted(statuses)).toEqual({ 200: 5, 429: 19 })
    })

    it('[10.3] [10.4] a column is added once of three, and all serve it within a second', async () => {
      const column = { name: 'torque', type: 'integer' }
      expect(counted(await atOnce(3, 'POST', '/api/v1/shop/sheets/columns', { body: column }))).toEqual({
        201: 1,
        409: 2,
      })
      const until = Date.now() + 1000
      const made = await Promise.all(
        all.map((request) =>
          vi.waitFor(
            async () => {
              const body = { title: 'x', torque: 38 }
              const answered = await request('POST', '/api/v1/shop/sheets', { token: first.admin, body })
              expect(answered.status, JSON.stringify(answered.body)).toBe(201)
              return answered.body.data.torque
            },
            { timeout: 1000, interval: 50 },
          ),
        ),
      )
      expect(Date.now()).toBeLessThanOrEqual(until)
      expect(made).toEqual([38, 38, 38])
      for (const request of all) {
        const { body } = await request('GET', '/api/v1/shop/sheets?filter[torque][gt]=30', {
          token: first.admin,
        })
        expect(body.data.items).toHaveLength(3)
      }
    })

    it('[5.3] what was set off is done once, whichever of them is free', async () => {
      const kernels = [first.kernel, ...others.map(({ kernel }) => kernel)]
      await first.submit(
        definition().replace(
          '"resource":"Order"}',
          '"resource":"Order","trigger":{"resource":"Order","event":"create"}}',
        ),
      )
      await heard((operation) => operation.triggers.length === 1)
      const numbers = Array.from({ length: 24 }, (_, at) => `t${at}`)
      await Promise.all(
        numbers.map((number, at) =>
          all[at % 3]!('POST', '/api/v1/shop/orders', { token: first.admin, body: { number } }),
        ),
      )
      for (let at = 0; at < 3; at += 1)
        await Promise.all(kernels.map((kernel) => kernel.callAs(SYSTEM)('jobs.tick', {})))
      const told = sink.received.flatMap(({ body }) => {
        const { number } = body.startsWith('{') ? JSON.parse(body) : { number: '' }
        return /^t\d/.test(number) ? [number] : []
      })
      expect(told.toSorted()).toEqual(numbers.toSorted())
    }, 120_000)
  })
