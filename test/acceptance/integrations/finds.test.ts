import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORES, type StoreUnderTest } from '../../kit/stores.ts'
import { startTestKernel, type TestAccount, type TestKernel } from '../../kit/test-kernel.ts'

const RESOURCES = {
  Part: {
    object: { sku: { type: 'string', unique: true }, shelf: 'string', cost: 'integer' },
    permissions: { create: ['*'], list: ['*'], get: ['*'], fields: { cost: { read: ['buyer'] } } },
  },
  Offer: { object: { sku: 'string', cents: 'integer' }, permissions: { list: ['buyer'], create: ['*'] } },
  Own: {
    object: { sku: 'string', keeper: 'string' },
    permissions: { list: 'keeper == user.username', create: ['*'] },
  },
  Patient: {
    object: { number: 'string', disease: { type: 'string', privacy: { phi: true } } },
  },
  Order: { object: { sku: 'string', note: 'string' } },
}

/** The same store with so few connections that a write which waits for another one would wait for ever. */
const narrow = (store: StoreUnderTest): StoreUnderTest => ({
  ...store,
  async open() {
    const database = await store.open()
    return { ...database, config: (overrides) => database.config({ pool_size: 2, ...overrides }) }
  },
})

for (const store of STORES) {
  describe(`what integrations find on ${store.name}`, () => {
    let server: TestKernel
    let clerk: TestAccount
    let buyer: TestAccount
    beforeAll(async () => {
      server = await startTestKernel({ store: narrow(store), config: { jobs: { enabled: false } } })
      clerk = await server.account('clerk', ['clerk'])
      buyer = await server.account('buyer', ['buyer'])
    })
    afterAll(() => server.stop())

    const submit = (integrations: object) =>
      server.submit(
        JSON.stringify({ domain: { name: 'shop', version: '1.0.0', resources: RESOURCES, integrations } }),
      )
    const create = async (path: string, body: object) => {
      const { status } = await server.request('POST', `/api/v1/shop/${path}`, { token: server.admin, body })
      expect(status).toBe(201)
    }
    const rest = (body: object) => ({
      far: {
        type: 'rest',
        baseUrl: 'https://far.example',
        permissions: { execute: ['clerk', 'buyer'] },
        operations: { ask: { method: 'POST', input: { sku: 'string' }, body } },
      },
    })
    const dryRun = async (name: string, operation: string, { token }: TestAccount, more: object = {}) => {
      const path = `/api/v1/shop/integrations/${name}/operations/${operation}`
      const { status, body } = await server.request('POST', path, { token, body: { dryRun: true, ...more } })
      expect(status, JSON.stringify(body)).toBe(200)
      return body.data
    }

    it('6.6: a dry run shows nothing of found records that its caller may not see', async () => {
      await submit(
        rest({
          sku: "$(findOne('Part', 'sku', $input.sku).sku)",
          cost: "$(findOne('Part', 'sku', $input.sku).cost)",
          text: "{findOne('Part', 'sku', 'a').cost} cents",
          whole: "$(findOne('Part', 'sku', 'a'))",
          first: "$(findMany('Part', 'shelf', 'top')[0].cost)",
          by: "$(findOne('Part', 'cost', 77).sku)",
          known: "$(findOne('Offer', 'sku', 'a') == null ? 'none' : 'some')",
          row: "$(findOne('Own', 'sku', 'a').keeper)",
          after: '$mapped.cost',
          deep: { list: ["$(findOne('Offer', 'sku', 'a').cents)", 1] },
        }),
      )
      await create('parts', { sku: 'a', shelf: 'top', cost: 77 })
      await create('offers', { sku: 'a', cents: 66 })
      await create('owns', { sku: 'a', keeper: 'secret-keeper' })
      const input = { input: { sku: 'a' } }
      const { request } = await dryRun('far', 'ask', clerk, input)
      expect(request.body).toEqual({
        sku: 'a',
        cost: '***',
        text: '***',
        whole: '***',
        first: '***',
        by: '***',
        known: '***',
        row: '***',
        after: '***',
        deep: '***',
      })
      const seen = (await dryRun('far', 'ask', buyer, input)).request.body
      expect(seen).toMatchObject({
        cost: 77,
        text: '77 cents',
        first: 77,
        by: 'a',
        known: 'some',
        row: '***',
      })
      expect(seen.whole).toMatchObject({ sku: 'a', cost: 77 })
    })

    it('6.6: neither how many there are, nor whether a condition about them holds', async () => {
      const write = {
        resource: 'Order',
        forEach: "$(findMany('Offer', 'sku', $payload.sku))",
        when: "findOne('Offer', 'cents', 1) != null",
        mapping: { sku: '$item.sku', note: 'always' },
      }
      await submit({
        told: {
          type: 'webhook',
          public: true,
          permissions: { execute: ['clerk', 'buyer'] },
          operations: { take: { write, when: "findOne('Offer', 'cents', 67) != null" } },
        },
      })
      const unseen = [{ resource: 'Order', action: 'create', values: { sku: '***', note: 'always' } }]
      for (const sku of ['none', 'two']) {
        if (sku === 'two') for (const cents of [1, 67]) await create('offers', { sku, cents })
        const { written } = await dryRun('told', 'take', clerk, { payload: { sku } })
        expect(written).toEqual(unseen)
        const seen = (await dryRun('told', 'take', buyer, { payload: { sku } })).written
        expect(seen).toHaveLength(sku === 'two' ? 2 : 0)
      }
    })

    it('3.2: what is found of marked fields stands in no log', async () => {
      await submit(rest({ disease: "$(findOne('Patient', 'number', '1').disease)", number: 'x' }))
      await create('patients', { number: '1', disease: 'lupus' })
      const path = '/api/v1/shop/integrations/far'
      await server.request('POST', `${path}/operations/ask`, { token: clerk.token, body: {} })
      const { body } = await server.request('GET', `${path}/log`, { token: server.admin })
      expect(body.data.items).toHaveLength(1)
      expect(JSON.stringify(body)).toContain('[REDACTED]')
      expect(JSON.stringify(body)).not.toContain('lupus')
    })

    it('4.7, 7.5: many messages at once find records while they are written', async () => {
      const write = {
        resource: 'Order',
        mapping: {
          sku: "$(findOne('Part', 'sku', $payload.sku).sku)",
          note: "$(findOne('Part', 'sku', $mapped.sku).shelf)",
        },
      }
      // What a message is told by is taken first: the transaction has its connection by then.
      await submit({ told: { type: 'webhook', public: true, dedupe: '$payload.id', write } })
      const sent = Array.from({ length: 24 }, (_, id) =>
        server.request('POST', '/api/v1/shop/webhooks/told', { body: { id, sku: 'a' } }),
      )
      const answers = await Promise.all(sent)
      expect(answers.map(({ status }) => status)).toEqual(sent.map(() => 200))
      const { body } = await server.request('GET', '/api/v1/shop/orders?filter[note]=top', {
        token: server.admin,
      })
      expect(body.data.items).toHaveLength(24)
    })
  })
}
