import { SYSTEM } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { startSink, type Sink, type SinkAnswer } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from '../live/shop.ts'

const ROOT = '/api/v1/admin/webhooks'
const MOST = 4
const config = {
  outbound: { allow_private: ['127.0.0.1'] },
  webhooks: { max_endpoints: MOST, timeout_ms: 2000 },
  jobs: { enabled: false },
  auth: { jwt: { secret: SECRET } },
}

for (const store of STORES) {
  describe(`webhook endpoints that are asked badly, or at once, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP, config })
    let sink: Sink
    let answer: SinkAnswer | Promise<SinkAnswer> = { status: 204 }
    let id = ''
    beforeAll(async () => {
      sink = await startSink(() => answer)
      const headers = { 'X-Key': 'hush-hush' }
      const made = await ask('POST', '', { url: sink.url, events: ['svc.shop.*'], headers })
      id = made.body.data.id
    })
    afterAll(() => sink.stop())

    const ask = (method: string, path = '', body?: unknown, of = server().request) =>
      of(method, `${ROOT}${path}`, { token: server().admin, ...(body !== undefined && { body }) })
    const deliveries = async (query = '') =>
      (await ask('GET', `/${id}/deliveries${query}`)).body.data.items as any[]
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})

    it.each([
      '9999-12-31T23:59:59-23:59',
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00%2B01:00',
      'yesterday',
      '2026-02-30T00:00:00Z',
    ])('9.4: %s is no time of a delivery', async (time) => {
      for (const name of ['after', 'before']) {
        const listed = await ask('GET', `/${id}/deliveries?${name}=${time}`)
        expect([listed.status, listed.body.error_code]).toEqual([400, 'INVALID_QUERY'])
        expect(listed.body.error_message).toContain(`'${name}'`)
        for (const failedOnly of [true, false]) {
          const replayed = await ask('POST', `/${id}/replay`, {
            [name]: decodeURIComponent(time),
            failedOnly,
          })
          expect([replayed.status, replayed.body.errors[0].field]).toEqual([422, name])
        }
      }
    })

    it('9.2: a header keeps its value, however its name is written', async () => {
      const changed = await ask('PATCH', `/${id}`, { headers: { 'x-KEY': '[REDACTED]' } })
      expect(changed.body.data.headers).toEqual({ 'x-KEY': '[REDACTED]' })
      const tested = await ask('POST', `/${id}/test`)
      expect([tested.body.data.status, sink.received.at(-1)?.headers['x-key']]).toEqual([
        'delivered',
        'hush-hush',
      ])
    })

    it('9.4: a ping is written down to its end, whoever has gone', async () => {
      let told!: (said: SinkAnswer) => void
      answer = new Promise((resolve) => (told = resolve))
      const before = sink.received.length
      const { fetch } = server().kernel.get(HttpServerCapability)
      const gone = new AbortController()
      const headers = { authorization: `Bearer ${server().admin}` }
      const asked = fetch(
        new Request(`http://127.0.0.1${ROOT}/${id}/test`, { method: 'POST', headers, signal: gone.signal }),
      )
      await expect.poll(() => sink.received.length).toBe(before + 1)
      gone.abort()
      told({ status: 204 })
      await Promise.allSettled([asked])
      await expect.poll(async () => (await deliveries())[0].status).toBe('delivered')
      expect(await deliveries('?status=pending')).toEqual([])
      answer = { status: 204 }
    })

    it('9.4: of several who have one delivery made again one does, the others are 409', async () => {
      const second = await startSecond(server().database, server().clock, [], config)
      answer = { status: 410 }
      await server().request('POST', '/api/v1/shop/notes', { body: { text: 'x' } })
      await tick()
      await expect.poll(async () => (await deliveries('?status=failed')).length).toBe(1)
      const [failed] = await deliveries('?status=failed')
      answer = { status: 204 }
      const both = [server().request, second.request]
      const done = await Promise.all(
        [0, 1, 2, 3, 4, 5].map((at) =>
          ask('POST', `/${id}/deliveries/${failed.id}/retry`, undefined, both[at % 2]),
        ),
      )
      expect(done.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
      await second.stop()
    })

    it('9.2: of several who make the last endpoint one does, and the first are not too many', async () => {
      const second = await startSecond(server().database, server().clock, [], config)
      const both = [server().request, second.request]
      const body = { url: sink.url, events: ['svc.never'] }
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, at) => ask('POST', '', body, both[at % 2])),
      )
      expect(made.filter(({ status }) => status === 201)).toHaveLength(MOST - 1)
      expect((await ask('GET')).body.data.count).toBe(MOST)
      for (const { id: one } of (await ask('GET')).body.data.items) await ask('DELETE', `/${one}`)
      const first = await Promise.all(
        Array.from({ length: 8 }, (_, at) => ask('POST', '', body, both[at % 2])),
      )
      expect(first.filter(({ status }) => status === 201)).toHaveLength(MOST)
      id = first.find(({ status }) => status === 201)?.body.data.id
      await second.stop()
    })

    it('9.2: of several secrets that are handed out at once the last two sign', async () => {
      const turned = await Promise.all([0, 1].map(() => ask('POST', `/${id}/rotate-secret`, {})))
      const secrets = turned.map(({ body }) => body.data.secret as string)
      await ask('PATCH', `/${id}`, { enabled: true })
      await ask('POST', `/${id}/test`)
      const { headers, body } = sink.received.at(-1)!
      const { Webhook } = await import('standardwebhooks')
      for (const secret of secrets) {
        const signed = Object.fromEntries(Object.entries(headers).map(([name, one]) => [name, String(one)]))
        const at = new Date(Number(signed['webhook-timestamp']) * 1000)
        const own = new Webhook(secret).sign(signed['webhook-id']!, at, body)
        expect(signed['webhook-signature']?.split(' ')).toContain(own)
      }
    })
  })
}
