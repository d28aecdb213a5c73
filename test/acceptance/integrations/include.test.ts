import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sink, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const RESOURCES = {
  Customer: {
    object: {
      name: 'string',
      city: 'string',
      pin: { type: 'string', hidden: true },
      secret: { type: 'string', privacy: { sensitive: true } },
      key: 'password',
      greeting: { type: 'string', computed: "concat('Dear ', name)" },
    },
    permissions: { list: ['*'], get: ['*'], fields: { city: { read: ['buyer'] } } },
  },
  Line: {
    object: { sku: 'string' },
    relationships: { order: { type: 'belongsTo', target: 'Order' } },
  },
  Order: {
    object: { number: 'string', customerName: 'string' },
    relationships: {
      customer: { type: 'belongsTo', target: 'Customer' },
      keeper: { type: 'belongsTo', target: 'User' },
      lines: { type: 'hasMany', target: 'Line', foreignKey: 'orderId' },
    },
    permissions: { list: ['*'], get: ['*'] },
  },
}

for (const store of STORES) {
  describe(`records that operations include on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      config: { jobs: { enabled: false }, outbound: { allow_private: ['127.0.0.1'] } },
    })
    let sink: Sink
    beforeAll(async () => {
      sink = await startSink(() => ({ status: 200, body: '{}' }))
    })
    afterAll(() => sink.stop())

    const definitionOf = (operation: object) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: RESOURCES,
          integrations: {
            far: {
              type: 'rest',
              baseUrl: sink.url,
              permissions: { execute: ['clerk', 'admin'] },
              operations: { tell: { method: 'POST', resource: 'Order', ...operation } },
            },
          },
        },
      })
    const send = (method: string, path: string, body?: object, token = server().admin) =>
      server().request(method, `/api/v1/shop/${path}`, { token, ...(body && { body }) })
    const made = async (path: string, values: object): Promise<string> => {
      const { status, body } = await send('POST', path, values)
      expect(status, JSON.stringify(body)).toBe(201)
      return body.data.id
    }
    const tell = (recordId: string, more: object = {}, token?: string) =>
      send('POST', 'integrations/far/operations/tell', { recordId, ...more }, token)
    const refused = async (operation: object) => {
      const { status, body } = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content: definitionOf(operation) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const CUSTOMER = { name: 'Ann', city: 'Ely', pin: '4711', secret: 'hush', key: 'Correct-horse-7' }

    it('[4.5] an included record is a whole value of `$record`, null where there is none', async () => {
      await server().submit(
        definitionOf({
          include: ['customer', 'keeper'],
          body: {
            customer: '$record.customer',
            deep: { list: ['$(customer)', '$record.customer.name'] },
            text: '{number} for {customer.name}',
            keeper: '$record.keeper',
          },
          write: { mapping: { customerName: '$record.customer.name' } },
        }),
      )
      const keeper = await server().account('keeper')
      const customerId = await made('customers', CUSTOMER)
      const orderId = await made('orders', { number: '7', customerId, keeperId: keeper.id })
      const { status, body } = await tell(orderId)
      expect(status, JSON.stringify(body)).toBe(200)
      const customer = {
        id: customerId,
        name: 'Ann',
        city: 'Ely',
        secret: 'hush',
        greeting: 'Dear Ann',
      }
      const sent = JSON.parse(sink.received.at(-1)?.body ?? '')
      expect(sent.customer).toEqual(customer)
      expect(sent.deep).toEqual({ list: [customer, 'Ann'] })
      expect(sent.text).toBe('7 for Ann')
      expect(sent.keeper).toEqual({ id: keeper.id, username: 'keeper' })
      expect((await send('GET', `orders/${orderId}`)).body.data.customerName).toBe('Ann')
      const lonely = await made('orders', { number: '8' })
      expect((await tell(lonely)).status).toBe(200)
      expect(JSON.parse(sink.received.at(-1)?.body ?? '')).toEqual({
        customer: null,
        deep: { list: [null, null] },
        text: '8 for ',
        keeper: { id: expect.any(String), username: 'admin' },
      })
    })

    it('[3.2] the log has nothing of an included record that is marked as sensitive', async () => {
      const customerId = await made('customers', CUSTOMER)
      const orderId = await made('orders', { number: '9', customerId })
      expect((await tell(orderId)).status).toBe(200)
      const { body } = await send('GET', `integrations/far/log?recordId=${orderId}`)
      expect(body.data.items).toHaveLength(1)
      expect(JSON.stringify(body)).not.toContain('hush')
    })

    it('[6.6] a dry run shows an included record to whoever may read all of it', async () => {
      await server().submit(
        definitionOf({ include: ['customer'], body: { customer: '$record.customer', number: '{number}' } }),
      )
      const clerk = await server().account('clerk', ['clerk'])
      const buyer = await server().account('buyer', ['clerk', 'buyer'])
      const customerId = await made('customers', CUSTOMER)
      const orderId = await made('orders', { number: '10', customerId })
      const shown = async (token: string) =>
        (await tell(orderId, { dryRun: true }, token)).body.data.request.body
      expect(await shown(clerk.token)).toEqual({ customer: '***', number: '10' })
      expect(await shown(buyer.token)).toMatchObject({ customer: { name: 'Ann', city: 'Ely' } })
    })

    it('[4.5] what is no belongsTo of the record, and a record that is not included, is refused', async () => {
      expect(await refused({ include: ['custmer'] })).toContain("Did you mean 'customer'?")
      expect(await refused({ include: ['lines'] })).toContain('leads to several records')
      expect(await refused({ include: ['customer'], resource: undefined })).toContain('about no record')
      expect(await refused({ body: { it: '$record.customer' } })).toContain('cannot be taken as a whole')
      expect(await refused({ include: [], body: { it: '$(customer)' } })).toContain(
        'cannot be taken as a whole',
      )
    })
  })
}
