import { randomUUID } from 'node:crypto'
import { type Channel, type ChannelModel, connect, type ConsumeMessage } from 'amqplib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startProxy } from './proxy.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { AMQP_URL, amqpTermsIn, CERTIFICATE, KEY, placeOf, TLS } from './brokers.ts'

const RESOURCES = {
  Order: {
    object: { number: 'string', state: 'string', secret: 'string', taken: 'string' },
    permissions: { create: ['*'], get: ['*'], list: ['*'], fields: { secret: { read: ['buyer'] } } },
  },
}

for (const store of STORES) {
  describe(`integrations of type amqp on ${store.name}`, () => {
    let server: TestKernel
    let model: ChannelModel
    let channel: Channel
    const queue = `svc-test-${randomUUID()}`
    const exchange = `svc-test-${randomUUID()}`
    const got: ConsumeMessage[] = []
    beforeAll(async () => {
      process.env['SVC_DOMAIN_BROKER_URL'] = AMQP_URL
      process.env['SVC_DOMAIN_BROKER_WRONG'] = AMQP_URL.replace(/\/\/[^@]*@/, '//guest:no-such-passw0rd@')
      model = await connect(AMQP_URL)
      channel = await model.createChannel()
      await channel.assertExchange(exchange, 'topic', { durable: false, autoDelete: true })
      await channel.assertQueue(queue, { durable: false, exclusive: true })
      await channel.bindQueue(queue, exchange, 'orders.#')
      await channel.consume(queue, (message) => void (message && got.push(message)), { noAck: true })
      server = await startTestKernel({
        store,
        config: {
          jobs: { enabled: false },
          outbound: { allow_private: [placeOf(AMQP_URL), '127.0.0.1', 'localhost'] },
        },
      })
    })
    afterAll(async () => {
      await server.stop()
      await model.close()
      for (const name of ['URL', 'WRONG']) delete process.env[`SVC_DOMAIN_BROKER_${name}`]
    })
    const definitionOf = (operation: object, more: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: RESOURCES,
          integrations: {
            bus: {
              type: 'amqp',
              url: '${SVC_DOMAIN_BROKER_URL}',
              ...more,
              operations: { tell: { resource: 'Order', exchange, ...operation } },
            },
          },
        },
      })
    const submit = (operation: object, more: object = {}) => server.submit(definitionOf(operation, more))
    const refused = async (operation: object, more: object = {}) => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf(operation, more) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const order = async (values: object): Promise<string> =>
      (await server.request('POST', '/api/v1/shop/orders', { token: server.admin, body: values })).body.data
        .id
    const tell = async (recordId: string, more: object = {}) => {
      const path = '/api/v1/shop/integrations/bus/operations/tell'
      const { status, body } = await server.request('POST', path, {
        token: server.admin,
        body: { recordId, ...more },
      })
      return {
        status,
        code: body.error_code,
        message: body.error_message,
        data: body.data,
        errors: body.errors,
      }
    }
    const arrived = (count: number) =>
      vi.waitFor(() => expect(got.length).toBeGreaterThanOrEqual(count), { timeout: 5000, interval: 10 })
    const TOLD = {
      routingKey: 'orders.{state}',
      body: { number: '$record.number', at: 1 },
      headers: { 'x-number': '$record.number', 'x-none': '$record.taken', 'x-count': 3 },
    }

    it('8.3: what is published is confirmed, under the id of the run', async () => {
      await submit({ ...TOLD, write: { mapping: { taken: '$response.messageId' } } })
      const id = await order({ number: 'A1', state: 'new' })
      const before = got.length
      const { status, data, message } = await tell(id)
      expect(status, message).toBe(200)
      expect(data).toMatchObject({ success: true, attempts: 1, response: { messageId: data.runId } })
      await arrived(before + 1)
      const [{ content, fields, properties }] = got.slice(before) as [ConsumeMessage]
      expect(JSON.parse(content.toString())).toEqual({ number: 'A1', at: 1 })
      expect([fields.exchange, fields.routingKey]).toEqual([exchange, 'orders.new'])
      expect(properties).toMatchObject({
        messageId: data.runId,
        contentType: 'application/json',
        deliveryMode: 2,
        headers: { 'x-number': 'A1', 'x-count': 3 },
      })
      expect(properties.headers).not.toHaveProperty('x-none')
      const record = (await server.request('GET', `/api/v1/shop/orders/${id}`)).body.data
      expect(record.taken).toBe(data.runId)
    })

    it('8.3: what no queue takes is a failure, unless it may be', async () => {
      await submit({ ...TOLD, routingKey: 'nobody.{state}' })
      const id = await order({ number: 'B1', state: 'new' })
      expect(await tell(id)).toMatchObject({
        status: 502,
        code: 'UPSTREAM_FAILED',
        message: expect.stringContaining('came back'),
      })
      await submit({ ...TOLD, routingKey: 'nobody.{state}', mandatory: false })
      expect((await tell(id)).status).toBe(200)
      await submit({ ...TOLD, exchange: `none-${exchange}` })
      expect(await tell(id)).toMatchObject({ status: 502, code: 'UPSTREAM_FAILED' })
      await submit(TOLD)
      expect((await tell(id)).status).toBe(200)
    })

    it('8.3: many at once share one connection, each confirmed by itself', async () => {
      await submit(TOLD)
      const ids = await Promise.all(
        Array.from({ length: 50 }, (_, at) => order({ number: `m${at}`, state: 'x' })),
      )
      const all = await Promise.all(ids.map((id) => tell(id)))
      expect(all.map(({ status }) => status)).toEqual(ids.map(() => 200))
      const runs = all.map(({ data }) => data.runId as string)
      // The last message of the test before may come only now.
      const sent = () =>
        got.map(({ properties }) => String(properties.messageId)).filter((id) => runs.includes(id))
      await expect.poll(() => sent().toSorted()).toEqual(runs.toSorted())
    })

    it('8.6: a broker that is down is a failure of the network, and is found again', async () => {
      const { hostname, port } = new URL(AMQP_URL)
      const proxy = await startProxy(hostname, Number(port) || 5672)
      onTestFinished(() => proxy.stop())
      const auth = { type: 'basic', username: 'guest', password: '${SVC_DOMAIN_BROKER_PASSWORD}' }
      process.env['SVC_DOMAIN_BROKER_PASSWORD'] = 'guest'
      onTestFinished(() => void delete process.env['SVC_DOMAIN_BROKER_PASSWORD'])
      const place = { url: undefined, host: '127.0.0.1', port: proxy.port, tls: false, auth }
      await submit(TOLD, { ...place, timeout: '2s' })
      const id = await order({ number: 'D1', state: 'new' })
      expect((await tell(id)).status).toBe(200)
      proxy.cut()
      await vi.waitFor(async () => expect((await tell(id)).status).toBe(200), { timeout: 5000 })
      proxy.refuse(true)
      proxy.cut()
      await vi.waitFor(
        async () => expect(await tell(id)).toMatchObject({ status: 502, code: 'UPSTREAM_FAILED' }),
        { timeout: 5000 },
      )
      proxy.refuse(false)
      expect((await tell(id)).status).toBe(200)
      proxy.hold(true)
      expect(await tell(id)).toMatchObject({ status: 504, code: 'UPSTREAM_TIMEOUT' })
      proxy.hold(false)
      expect((await tell(id)).status).toBe(200)
    })

    it('3.2: a password that is refused is shown nowhere', async () => {
      await submit(TOLD, { url: '${SVC_DOMAIN_BROKER_WRONG}' })
      const refusal = await tell(await order({ number: 'E1', state: 'new' }))
      expect(refusal).toMatchObject({ status: 502, code: 'UPSTREAM_FAILED' })
      expect(JSON.stringify(refusal)).not.toContain('no-such-passw0rd')
    })

    it('6.6, 2.6: a dry run shows what would be published, and a key holds no line break', async () => {
      await submit({ ...TOLD, body: { secret: '$record.secret' } })
      const id = await order({ number: 'F1', state: 'new', secret: 'hush' })
      expect((await tell(id, { dryRun: true })).data.request).toEqual({
        exchange,
        routingKey: 'orders.new',
        headers: { 'x-number': 'F1', 'x-count': 3 },
        persistent: true,
        mandatory: true,
        body: { secret: '***' },
      })
      const wrong = await tell(await order({ number: 'F2', state: 'a\r\nb' }))
      expect([wrong.status, wrong.errors[0]]).toMatchObject([422, { field: 'routingKey', rule: 'mapping' }])
    })

    it('3.2: a header that says who somebody is is sent, and shown nowhere', async () => {
      const headers = { Authorization: 'Bearer abcdef-0123', Cookie: 'sid=abcdef-0123', 'x-count': 3 }
      await submit({ ...TOLD, headers })
      const id = await order({ number: 'G1', state: 'new' })
      const shown = { Authorization: '[REDACTED]', Cookie: '[REDACTED]', 'x-count': 3 }
      expect((await tell(id, { dryRun: true })).data.request.headers).toEqual(shown)
      const { runId } = (await tell(id)).data
      const sent = () => got.find(({ properties }) => properties.messageId === runId)
      await expect.poll(() => sent()?.properties.headers).toEqual(headers)
      await submit({ ...TOLD, headers, routingKey: 'nobody', deadLetter: { enabled: true } })
      expect((await tell(id)).status).toBe(502)
      for (const of of ['log', 'deadletter']) {
        const { status, body } = await server.request('GET', `/api/v1/shop/integrations/bus/${of}`, {
          token: server.admin,
        })
        expect(status).toBe(200)
        expect(body.data.items.length).toBeGreaterThan(0)
        expect(JSON.stringify(body)).not.toContain('abcdef-0123')
      }
    })

    it('4.2: host, port, tls, vhost, heartbeat, ca and auth say how it is connected to', async () => {
      const { hostname, port } = new URL(AMQP_URL)
      const to = Number(port) || 5672
      const [plain, secure] = [await startProxy(hostname, to), await startProxy(hostname, to, TLS)]
      const { username, password } = new URL(AMQP_URL)
      const set = (name: string, value: string) => {
        process.env[`SVC_DOMAIN_BROKER_${name}`] = value
        onTestFinished(() => void delete process.env[`SVC_DOMAIN_BROKER_${name}`])
        return `\${SVC_DOMAIN_BROKER_${name}}`
      }
      onTestFinished(async () => {
        await submit(TOLD)
        await Promise.all([plain.stop(), secure.stop()])
      })
      const basic = { type: 'basic', username, password: set('PASSWORD', password) }
      const mtls = { type: 'mtls', cert: CERTIFICATE, key: set('KEY', KEY) }
      await submit(TOLD)
      const id = await order({ number: 'T1', state: 'new' })
      const told = async (more: object) => {
        await submit(TOLD, { url: undefined, timeout: '5s', ...more })
        return (await tell(id)).status
      }
      // TLS is spoken where nothing is said of it.
      const place = { host: 'localhost', port: secure.port, ca: CERTIFICATE, auth: [basic, mtls] }
      expect(await told(place)).toBe(200)
      expect(amqpTermsIn(secure.said)).toEqual({ vhost: '/', heartbeat: 30 })
      expect(await told({ ...place, ca: undefined })).toBe(502)
      expect(await told({ ...place, auth: basic })).toBe(502)
      const open = { host: '127.0.0.1', port: plain.port, auth: basic }
      expect(await told(open)).toBe(502)
      expect(await told({ ...open, tls: false, heartbeat: '7s' })).toBe(200)
      expect(amqpTermsIn(plain.said)).toEqual({ vhost: '/', heartbeat: 7 })
      expect(await told({ ...open, tls: false, vhost: 'no-such/place' })).toBe(502)
      expect(amqpTermsIn(plain.said)).toEqual({ vhost: 'no-such/place', heartbeat: 30 })
      const user = `${username}:${password}`
      set('AMQP', `amqp://${user}@127.0.0.1:${plain.port}/no-such%2Furl`)
      expect(await told({ url: '${SVC_DOMAIN_BROKER_AMQP}' })).toBe(502)
      expect(amqpTermsIn(plain.said).vhost).toBe('no-such/url')
      set('AMQP', `amqps://${user}@localhost:${secure.port}`)
      expect(await told({ url: '${SVC_DOMAIN_BROKER_AMQP}', ca: CERTIFICATE, auth: mtls })).toBe(200)
      for (const [tls, usual] of [
        [undefined, 5671],
        [false, 5672],
      ] as const) {
        await told({ host: 'localhost', tls })
        const { body } = await server.request('GET', '/api/v1/shop/integrations/bus/log?limit=1', {
          token: server.admin,
        })
        expect(body.data.items[0].url).toMatch(`amqp://localhost:${usual}/`)
      }
    })

    it('2.7, 4.2: what no broker can be is refused where it stands', async () => {
      expect(await refused({ routingKey: 'a' })).toContain('Write what is published')
      expect(await refused({ body: {} })).toContain('Write where it is led to')
      expect(await refused(TOLD, { url: undefined })).toContain("Write 'host'")
      expect(await refused(TOLD, { url: 'amqp://guest:guest@example.org' })).toContain('.bus.url')
      expect(await refused(TOLD, { url: undefined, host: '10.0.0.1' })).toContain('does not connect to')
      expect(await refused(TOLD, { auth: { type: 'bearer', token: '${X}' } })).toContain('auth')
      expect(await refused({ ...TOLD, direction: 'consume' })).toContain(
        "means nothing with 'direction: consume'",
      )
    })
  })
}
