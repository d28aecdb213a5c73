import { randomUUID } from 'node:crypto'
import { type Channel, type ChannelModel, connect } from 'amqplib'
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { AMQP_URL, MQTT_URL, mqttTermsIn, placeOf } from './brokers.ts'
import { type Proxy, startProxy } from './proxy.ts'

const RESOURCES = {
  Reading: {
    object: {
      sensor: { type: 'string', unique: true },
      value: { type: 'integer', min: 0 },
      seen: { type: 'string' },
    },
    permissions: { create: ['*'], get: ['*'], list: ['*'], update: ['*'] },
  },
}
const LONG = { timeout: 15_000, interval: 30 }

for (const store of STORES) {
  describe(`messages that brokers deliver on ${store.name}`, () => {
    let server: TestKernel
    let model: ChannelModel
    let channel: Channel
    let client: MqttClient
    let proxy: Proxy
    let queue = ''
    let topic = ''
    let name = ''
    let tests = 0
    const CONFIG = {
      outbound: { allow_private: [placeOf(AMQP_URL), placeOf(MQTT_URL), '127.0.0.1'] },
      jobs: { poll_seconds: 1 },
      integrations: { max_body_bytes: 2048 },
    }
    beforeAll(async () => {
      const { hostname, port } = new URL(AMQP_URL)
      proxy = await startProxy(hostname, Number(port) || 5672)
      process.env['SVC_DOMAIN_BROKER_AMQP'] = AMQP_URL
      process.env['SVC_DOMAIN_BROKER_PROXY'] = AMQP_URL.replace(/@.*$/, `@127.0.0.1:${proxy.port}`)
      process.env['SVC_DOMAIN_BROKER_MQTT'] = MQTT_URL
      model = await connect(AMQP_URL)
      channel = await model.createChannel()
      client = await connectAsync(MQTT_URL, { protocolVersion: 5 })
      server = await startTestKernel({ store, config: CONFIG })
    })
    afterAll(async () => {
      await server.stop()
      await proxy.stop()
      await model.close()
      await client.endAsync(true)
      for (const one of ['AMQP', 'PROXY', 'MQTT']) delete process.env[`SVC_DOMAIN_BROKER_${one}`]
    })
    beforeEach(async () => {
      tests += 1
      name = `line${tests}`
      queue = `svc-test-${randomUUID()}`
      topic = `svc-test/${randomUUID()}`
      await channel.assertQueue(queue, { durable: true })
      onTestFinished(async () => {
        await server.submit(definitionOf({}, {}), { allow_destructive: true })
        await channel.deleteQueue(queue)
      })
    })
    const WRITE = {
      resource: 'Reading',
      match: 'sensor',
      mapping: { sensor: '$message.sensor', value: '$message.value' },
    }
    const definitionOf = (integration: object, operation: object, others: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'plant',
          version: '1.0.0',
          resources: RESOURCES,
          integrations:
            Object.keys(integration).length === 0
              ? {}
              : {
                  [name]: {
                    ...integration,
                    operations: { take: { direction: 'consume', write: WRITE, ...operation }, ...others },
                  },
                },
        },
      })
    const viaAmqp = (operation: object = {}, more: object = {}) =>
      server.submit(
        definitionOf({ type: 'amqp', url: '${SVC_DOMAIN_BROKER_AMQP}', ...more }, { queue, ...operation }),
      )
    const viaMqtt = (operation: object = {}, more: object = {}) =>
      server.submit(
        definitionOf(
          { type: 'mqtt', url: '${SVC_DOMAIN_BROKER_MQTT}', clientId: `svc-${topic.slice(9, 25)}`, ...more },
          { topic: `${topic}/+`, ...operation },
        ),
      )
    const tell = (message: unknown, options: object = {}) =>
      channel.sendToQueue(
        queue,
        Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)),
        options,
      )
    const look = async (path: string) =>
      (await server.request('GET', `/api/v1/plant/${path}`, { token: server.admin })).body.data
    const readings = async (): Promise<Record<string, number>> => {
      const { items } = await look('readings?limit=1000')
      return Object.fromEntries(
        items.map(({ sensor, value }: { sensor: string; value: number }) => [sensor, value]),
      )
    }
    const known = (sensor: string, value: number) =>
      vi.waitFor(async () => expect((await readings())[sensor]).toBe(value), LONG)
    const isConnected = () =>
      vi.waitFor(
        async () =>
          expect(await look(`integrations/${name}/health`)).toMatchObject({
            status: 'healthy',
            connected: true,
            consumers: [{ operation: 'take', running: true }],
          }),
        LONG,
      )

    it('8.3, 8.5: messages take effect in order, each once, and are acknowledged afterwards', async () => {
      await viaAmqp({ prefetch: 50 })
      await isConnected()
      for (let value = 1; value <= 60; value += 1) tell({ sensor: 'a', value })
      await known('a', 60)
      // Told by its id, a message that comes again does nothing.
      tell({ sensor: 'b', value: 1 }, { messageId: 'm-1' })
      tell({ sensor: 'b', value: 2 }, { messageId: 'm-1' })
      tell({ sensor: 'middle', value: 1 })
      await known('middle', 1)
      expect((await readings())['b']).toBe(1)
      tell({ sensor: 'b', value: 3 }, { messageId: 'm-2' })
      await known('b', 3)
      const { items } = await look(`integrations/${name}/log?limit=1`)
      expect(items[0]).toMatchObject({
        direction: 'inbound',
        operation: 'take',
        triggeredBy: 'message',
        method: 'CONSUME',
        success: true,
      })
      await vi.waitFor(async () => expect((await channel.checkQueue(queue)).messageCount).toBe(0), LONG)
    })

    it('8.6: a message that cannot be written is a dead letter, and the next ones are', async () => {
      await viaAmqp()
      tell('no json at all')
      tell({ sensor: 'c', value: -5 })
      tell('{"__proto__": {"a": 1}}')
      tell({ sensor: 'c', value: 1, more: 'x'.repeat(3000) })
      tell({ sensor: 'c', value: 7 })
      await known('c', 7)
      const { items } = await look(`integrations/${name}/deadletter`)
      expect(items).toHaveLength(4)
      for (const one of items)
        expect(one).toMatchObject({ direction: 'inbound', status: 'pending', operation: 'take' })
      const codes = items.map(({ error }: { error: { code: string } }) => error.code)
      expect(codes.toSorted()).toEqual([
        'BAD_REQUEST',
        'PAYLOAD_TOO_LARGE',
        'VALIDATION_ERROR',
        'VALIDATION_ERROR',
      ])
    })

    it('8.6: with dead letters off it is rejected, and not delivered again', async () => {
      const dead = `${queue}-dead`
      await channel.deleteQueue(queue)
      await channel.assertQueue(dead, { exclusive: true })
      await channel.assertQueue(queue, {
        durable: true,
        arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': dead },
      })
      await viaAmqp({}, { deadLetter: { enabled: false } })
      tell({ sensor: 'd', value: -5 })
      tell({ sensor: 'd', value: 4 })
      await known('d', 4)
      await vi.waitFor(async () => expect((await channel.checkQueue(dead)).messageCount).toBe(1), LONG)
    })

    it('8.3: a queue and its bindings are declared where that is asked for', async () => {
      const exchange = `svc-test-${randomUUID()}`
      await channel.deleteQueue(queue)
      await viaAmqp({
        declare: true,
        bindings: [{ exchange, routingKey: 'readings.#' }],
        write: { ...WRITE, mapping: { ...WRITE.mapping, seen: '$routingKey' } },
      })
      await isConnected()
      await vi.waitFor(async () => {
        const probe = await model.createChannel()
        probe.on('error', () => undefined)
        await probe.checkExchange(exchange)
        await probe.close()
      }, LONG)
      channel.publish(exchange, 'readings.north', Buffer.from(JSON.stringify({ sensor: 'e', value: 1 })))
      await known('e', 1)
      expect((await look('readings?filter[sensor]=e')).items[0].seen).toBe('readings.north')
      await channel.deleteExchange(exchange)
    })

    it('8.5, 8.6: a connection that breaks loses nothing and does nothing twice', async () => {
      await viaAmqp({}, { url: '${SVC_DOMAIN_BROKER_PROXY}' })
      await isConnected()
      for (let value = 1; value <= 40; value += 1) {
        tell({ sensor: `f${value}`, value }, { messageId: randomUUID() })
        if (value % 15 === 0) proxy.cut()
      }
      await vi.waitFor(
        async () => {
          const all = await readings()
          expect(Object.keys(all).filter((sensor) => /^f\d/.test(sensor))).toHaveLength(40)
        },
        { ...LONG, timeout: 25_000 },
      )
      await vi.waitFor(async () => expect((await channel.checkQueue(queue)).messageCount).toBe(0), LONG)
    })

    it('[6.4] [8.6] health is unhealthy while the broker is out of reach, and healthy once it is back', async () => {
      await viaAmqp({}, { url: '${SVC_DOMAIN_BROKER_PROXY}' })
      await isConnected()
      proxy.refuse(true)
      proxy.cut()
      await vi.waitFor(
        async () =>
          expect(await look(`integrations/${name}/health`)).toMatchObject({
            status: 'unhealthy',
            connected: false,
            consumers: [{ operation: 'take', running: false }],
          }),
        LONG,
      )
      proxy.refuse(false)
      await isConnected()
    })

    it('8.5, 5.3: one server holds the consumer, and another goes on after it', async () => {
      await viaAmqp()
      await isConnected()
      const other = await startSecond(server.database, server.clock, [], CONFIG)
      let isStopped = false
      onTestFinished(async () => {
        if (!isStopped) await other.stop()
      })
      for (let value = 1; value <= 20; value += 1) tell({ sensor: 'g', value })
      await known('g', 20)
      expect((await channel.checkQueue(queue)).consumerCount).toBe(1)
      await other.stop()
      isStopped = true
      tell({ sensor: 'g', value: 21 })
      await known('g', 21)
    })

    it('8.4, 8.5: a topic is consumed in order, and what came while nobody listened is not lost', async () => {
      await viaMqtt({ write: { ...WRITE, mapping: { ...WRITE.mapping, seen: '$topic' } } })
      await isConnected()
      await vi.waitFor(async () => {
        await client.publishAsync(`${topic}/north`, JSON.stringify({ sensor: 'h', value: 0 }), { qos: 1 })
        expect((await readings())['h']).toBe(0)
      }, LONG)
      for (let value = 1; value <= 30; value += 1)
        await client.publishAsync(`${topic}/north`, JSON.stringify({ sensor: 'h', value }), { qos: 1 })
      await known('h', 30)
      expect((await look('readings?filter[sensor]=h')).items[0].seen).toBe(`${topic}/north`)
      // Switched off it hears nothing; the broker keeps it.
      await viaMqtt({}, { enabled: false })
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await client.publishAsync(`${topic}/south`, JSON.stringify({ sensor: 'h', value: 31 }), { qos: 1 })
      await viaMqtt({ write: { ...WRITE, mapping: { ...WRITE.mapping, seen: '$topic' } } })
      await known('h', 31)
    })

    it('4.2: sessionExpiry says for how long the broker keeps what a consumer misses, under its clientId', async () => {
      const { hostname, port } = new URL(MQTT_URL)
      const between = await startProxy(hostname, Number(port) || 1883)
      onTestFinished(async () => {
        await server.submit(definitionOf({}, {}), { allow_destructive: true })
        await between.stop()
      })
      const place = { url: undefined, host: '127.0.0.1', port: between.port, tls: false }
      const clientId = `svc-${randomUUID()}`
      const cases = [
        [{ clientId: undefined }, `svc-plant-${name}-take`, 3600],
        [{ clientId, sessionExpiry: '90s' }, `${clientId}-take`, 90],
      ] as const
      for (const [more, known, seconds] of cases) {
        await viaMqtt({}, { ...place, ...more })
        const terms = () => between.said.length > 0 && mqttTermsIn(between.said)
        await expect.poll(terms).toMatchObject({ clientId: known, sessionExpiry: seconds })
      }
    })

    it('8.4, 8.6: what was retained is passed over where that is said, and a poison stops nobody', async () => {
      await client.publishAsync(`${topic}/kept`, JSON.stringify({ sensor: 'i', value: 99 }), {
        qos: 1,
        retain: true,
      })
      await viaMqtt({ retained: 'ignore' })
      await isConnected()
      await vi.waitFor(async () => {
        await client.publishAsync(`${topic}/now`, JSON.stringify({ sensor: 'j', value: 1 }), { qos: 1 })
        expect((await readings())['j']).toBe(1)
      }, LONG)
      await client.publishAsync(`${topic}/now`, Buffer.from([0xff, 0xfe, 0x00]), { qos: 1 })
      await client.publishAsync(`${topic}/now`, JSON.stringify({ sensor: 'j', value: 2 }), { qos: 1 })
      await known('j', 2)
      expect((await readings())['i']).toBeUndefined()
      const { items } = await look(`integrations/${name}/deadletter`)
      expect(items).toHaveLength(1)
      await client.publishAsync(`${topic}/kept`, '', { retain: true })
    })

    it('6.5, 6.6: by hand with a message, and dry', async () => {
      await viaAmqp()
      const path = `/api/v1/plant/integrations/${name}/operations/take`
      const payload = { sensor: 'k', value: 3 }
      const dry = await server.request('POST', path, { token: server.admin, body: { payload, dryRun: true } })
      expect(dry.body.data).toEqual({
        dryRun: true,
        written: [{ resource: 'Reading', action: 'upsert', match: ['sensor'], values: payload }],
      })
      expect((await readings())['k']).toBeUndefined()
      const done = await server.request('POST', path, { token: server.admin, body: { payload } })
      expect(done.status, JSON.stringify(done.body)).toBe(200)
      expect((await readings())['k']).toBe(3)
    })

    it('8.3, 8.4: what no consumer can be is refused where it stands', async () => {
      const refused = async (type: object, operation: object, others?: object) => {
        const { status, body } = await server.request('POST', '/api/v1/domains', {
          token: server.admin,
          body: { content: definitionOf(type, operation, others) },
        })
        expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
        return JSON.stringify(body.errors)
      }
      const amqp = { type: 'amqp', url: '${SVC_DOMAIN_BROKER_AMQP}' }
      const mqtt = { type: 'mqtt', url: '${SVC_DOMAIN_BROKER_MQTT}' }
      expect(await refused(amqp, {})).toContain('Name the queue')
      expect(await refused(amqp, { queue, write: undefined })).toContain('Say what is written of a message')
      expect(await refused(amqp, { queue, prefetch: 1001 })).toContain('prefetch')
      expect(await refused(amqp, { queue, body: {} })).toContain("means nothing with 'direction: consume'")
      expect(await refused(amqp, { queue, bindings: [{ exchange: 'x' }] })).toContain('declare: true')
      expect(await refused(amqp, { queue, write: { ...WRITE, mapping: { sensor: '$topic' } } })).toContain(
        'topic',
      )
      expect(await refused(mqtt, { topic, qos: 2 })).toContain('is 0 or 1')
      expect(await refused(mqtt, { topic }, { Take: { topic: 'out', body: {} } })).toContain('by case alone')
      expect(
        await refused(mqtt, { topic, write: { ...WRITE, mapping: { sensor: '$routingKey' } } }),
      ).toContain('routingKey')
    })
  })
}
