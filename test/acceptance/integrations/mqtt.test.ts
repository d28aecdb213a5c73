import { randomUUID } from 'node:crypto'
import { connectAsync, type IPublishPacket, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { CERTIFICATE, KEY, MQTT_URL, mqttTermsIn, placeOf, TLS } from './brokers.ts'
import { startProxy } from './proxy.ts'

const RESOURCES = {
  Order: {
    object: { number: 'string', state: 'string', secret: 'string', taken: 'string' },
    permissions: { create: ['*'], get: ['*'], list: ['*'], fields: { secret: { read: ['buyer'] } } },
  },
}

for (const store of STORES) {
  describe(`integrations of type mqtt on ${store.name}`, () => {
    let server: TestKernel
    let client: MqttClient
    const topic = `svc-test/${randomUUID()}`
    const got: { readonly text: string; readonly packet: IPublishPacket }[] = []
    beforeAll(async () => {
      process.env['SVC_DOMAIN_BROKER_URL'] = MQTT_URL
      client = await connectAsync(MQTT_URL, { protocolVersion: 5 })
      client.on('message', (_, content, packet) => void got.push({ text: content.toString(), packet }))
      await client.subscribeAsync(`${topic}/#`, { qos: 2 })
      server = await startTestKernel({
        store,
        config: {
          jobs: { enabled: false },
          outbound: { allow_private: [placeOf(MQTT_URL), '127.0.0.1', 'localhost'] },
        },
      })
    })
    afterAll(async () => {
      await server.stop()
      await client.endAsync(true)
      delete process.env['SVC_DOMAIN_BROKER_URL']
    })
    const definitionOf = (operation: object, more: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: RESOURCES,
          integrations: {
            bus: {
              type: 'mqtt',
              url: '${SVC_DOMAIN_BROKER_URL}',
              ...more,
              operations: { tell: { resource: 'Order', topic: `${topic}/{state}`, ...operation } },
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
    const TOLD = { body: { number: '$record.number', at: 1 } }

    it('8.4: what is published is taken by the broker, at every quality', async () => {
      for (const qos of [0, 1, 2]) {
        await submit({ ...TOLD, qos, write: { mapping: { taken: '$response.topic' } } })
        const id = await order({ number: `A${qos}`, state: 'new' })
        const before = got.length
        const { status, data, message } = await tell(id)
        expect(status, message).toBe(200)
        expect(data).toMatchObject({ success: true, attempts: 1, response: { topic: `${topic}/new` } })
        await arrived(before + 1)
        const [{ text, packet }] = got.slice(before) as [(typeof got)[number]]
        expect(JSON.parse(text)).toEqual({ number: `A${qos}`, at: 1 })
        expect([packet.topic, packet.qos, packet.retain]).toEqual([`${topic}/new`, qos, false])
        expect(packet.properties?.contentType).toBe('application/json')
        expect((await server.request('GET', `/api/v1/shop/orders/${id}`)).body.data.taken).toBe(
          `${topic}/new`,
        )
      }
    })

    it('8.4: what is retained is there for those who come later', async () => {
      await submit({ ...TOLD, retain: true, format: 'text', body: 'Order {number}' })
      expect((await tell(await order({ number: 'R1', state: 'kept' }))).status).toBe(200)
      const late = await connectAsync(MQTT_URL, { protocolVersion: 5 })
      const first = new Promise((resolve) =>
        late.once('message', (_, content, { retain }) => resolve([content.toString(), retain])),
      )
      await late.subscribeAsync(`${topic}/kept`, { qos: 1 })
      expect(await first).toEqual(['Order R1', true])
      await late.publishAsync(`${topic}/kept`, '', { retain: true })
      await late.endAsync(true)
    })

    it('8.4: a topic has no wildcards', async () => {
      await submit(TOLD)
      for (const state of ['+', 'a/#', '#', 'a+b']) {
        const { status, errors } = await tell(await order({ number: 'W1', state }))
        expect([state, status, errors?.[0]]).toMatchObject([state, 422, { field: 'topic', rule: 'mapping' }])
      }
    })

    it('8.6: a broker that is down is a failure of the network, and is found again', async () => {
      const { hostname, port } = new URL(MQTT_URL)
      const proxy = await startProxy(hostname, Number(port) || 1883)
      onTestFinished(() => proxy.stop())
      await submit(TOLD, { url: undefined, host: '127.0.0.1', port: proxy.port, tls: false, timeout: '2s' })
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

    it('6.6: a dry run shows what would be published', async () => {
      await submit({ ...TOLD, body: { secret: '$record.secret' } })
      const id = await order({ number: 'F1', state: 'new', secret: 'hush' })
      expect((await tell(id, { dryRun: true })).data.request).toEqual({
        topic: `${topic}/new`,
        qos: 1,
        retain: false,
        body: { secret: '***' },
      })
    })

    it('4.2: host, port, tls, clientId, keepAlive, ca and auth say how it is connected to', async () => {
      const { hostname, port } = new URL(MQTT_URL)
      const to = Number(port) || 1883
      const [plain, secure] = [await startProxy(hostname, to), await startProxy(hostname, to, TLS)]
      const set = (name: string, value: string) => {
        process.env[`SVC_DOMAIN_BROKER_${name}`] = value
        onTestFinished(() => void delete process.env[`SVC_DOMAIN_BROKER_${name}`])
        return `\${SVC_DOMAIN_BROKER_${name}}`
      }
      onTestFinished(async () => {
        await submit(TOLD)
        await Promise.all([plain.stop(), secure.stop()])
      })
      const basic = { type: 'basic', username: 'ada', password: set('PASSWORD', 'l0velace') }
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
      expect(mqttTermsIn(secure.said)).toMatchObject({
        keepAlive: 60,
        clientId: expect.stringMatching(/^svc-shop-bus\b/),
        username: 'ada',
        password: 'l0velace',
      })
      expect(await told({ ...place, ca: undefined })).toBe(502)
      expect(await told({ ...place, auth: basic })).toBe(502)
      const open = { host: '127.0.0.1', port: plain.port }
      expect(await told(open)).toBe(502)
      expect(await told({ ...open, tls: false, keepAlive: '7s', clientId: 'plant-7' })).toBe(200)
      expect(mqttTermsIn(plain.said)).toMatchObject({
        keepAlive: 7,
        clientId: expect.stringMatching(/^plant-7\b/),
        username: undefined,
      })
      set('MQTT', `mqtts://ada:of-the-url@localhost:${secure.port}`)
      expect(await told({ url: '${SVC_DOMAIN_BROKER_MQTT}', ca: CERTIFICATE, auth: mtls })).toBe(200)
      expect(mqttTermsIn(secure.said)).toMatchObject({ username: 'ada', password: 'of-the-url' })
      for (const [tls, usual] of [
        [undefined, 8883],
        [false, 1883],
      ] as const) {
        await told({ host: 'localhost', tls })
        const { body } = await server.request('GET', '/api/v1/shop/integrations/bus/log?limit=1', {
          token: server.admin,
        })
        expect(body.data.items[0].url).toMatch(`mqtt://localhost:${usual}/`)
      }
    })

    it('2.7, 4.2: what no broker can be is refused where it stands', async () => {
      expect(await refused({})).toContain('Write what is published')
      expect(await refused(TOLD, { url: undefined })).toContain("Write 'host'")
      expect(await refused(TOLD, { url: 'mqtt://example.org' })).toContain('.bus.url')
      expect(await refused(TOLD, { url: undefined, host: '127.0.0.9' })).toContain('.bus.host')
      expect(await refused({ ...TOLD, qos: 3 })).toContain('qos')
      expect(await refused({ ...TOLD, direction: 'consume' })).toContain(
        "means nothing with 'direction: consume'",
      )
    })
  })
}
