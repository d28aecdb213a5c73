import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import type { StoreUnderTest } from '../../kit/stores.ts'
import { SECRET, startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

/** The secret that the definitions of these tests may name: `${SVC_DOMAIN_COURIER_KEY}`. */
export const KEY = 'k3y-of-the-courier'

export const RESOURCES = {
  Order: {
    object: {
      number: { type: 'string', required: true },
      state: 'string',
      code: { type: 'string', privacy: { sensitive: true } },
    },
    permissions: { create: ['*'], list: ['*'], get: ['*'], update: ['*'], delete: ['*'] },
  },
}

export const CONFIG = {
  outbound: { allow_private: ['127.0.0.1'] },
  jobs: { enabled: false },
  auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 10_000_000 } },
}

/** An operation that writes of orders set off. */
export const TOLD = {
  tell: {
    method: 'POST',
    path: '/parcels',
    body: { number: '{number}', state: '{state}' },
    trigger: { resource: 'Order', event: ['create', 'update'], condition: 'number != "quiet"' },
  },
}

interface Operations {
  readonly [name: string]: object
}

/** A shop with an integration that tells a courier of its orders, and the courier. */
export class Courier {
  sink!: Sink
  server!: TestKernel
  /** What the courier answers to the request of a number, from 1 in each test. */
  answer: (at: number) => SinkAnswer | Promise<SinkAnswer> = () => ({ status: 200 })
  /** Each test has an integration of its own: breakers and ledgers outlive a definition. */
  name = ''
  #before = 0

  forget = (): void => {
    this.#before = this.sink.received.length
  }
  /** What has come since it was last forgotten. */
  received = () => this.sink.received.slice(this.#before)
  tick = () => this.server.kernel.callAs(SYSTEM)('jobs.tick', {})
  submit = (operations: Operations, more: object = {}) =>
    this.server.submit(
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: RESOURCES,
          integrations: { [this.name]: { type: 'rest', baseUrl: this.sink.url, ...more, operations } },
        },
      }),
      { allow_destructive: true },
    )
  send = (method: string, path: string, body?: object, token: string = this.server.admin) =>
    this.server.request(method, `/api/v1/shop/${path}`, { token, ...(body && { body }) })
  ask = (path: string, body: object = {}, headers?: Record<string, string>) =>
    this.server.request('POST', `/api/v1/shop/integrations/${this.name}/${path}`, {
      token: this.server.admin,
      body,
      ...(headers && { headers }),
    })
  look = async (path: string, token?: string) =>
    (await this.send('GET', `integrations/${this.name}/${path}`, undefined, token)).body.data
  order = async (number: string, more: object = {}): Promise<string> =>
    (await this.send('POST', 'orders', { number, ...more })).body.data.id
  letters = async (query = '') => (await this.look(`deadletter${query}`)).items
}

/** Has both for all tests of the surrounding `describe`. */
export function useCourier(store: StoreUnderTest): Courier {
  const courier = new Courier()
  let tests = 0
  beforeAll(async () => {
    courier.sink = await startSink(() => courier.answer(courier.received().length))
    process.env['SVC_DOMAIN_COURIER_KEY'] = KEY
    courier.server = await startTestKernel({ store, config: CONFIG })
  })
  afterAll(async () => {
    await courier.server.stop()
    await courier.sink.stop()
    delete process.env['SVC_DOMAIN_COURIER_KEY']
  })
  beforeEach(() => {
    courier.answer = () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"ok":true}',
    })
    courier.forget()
    tests += 1
    courier.name = `courier${tests}`
  })
  return courier
}
