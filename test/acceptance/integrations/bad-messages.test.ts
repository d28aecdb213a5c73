import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { type Channel, type ChannelModel, connect, type Options } from 'amqplib'
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { AMQP_URL, MQTT_URL, placeOf } from './brokers.ts'

const LONG = { timeout: 30_000, interval: 50 }
const MOST_KEPT = 16 * 1024

/** What a broker may deliver, and is no message that anything can be made of. */
const BAD: Readonly<Record<string, Buffer>> = {
  '50 MB': Buffer.alloc(50 * 1024 * 1024, '"x'),
  'bytes of every value': Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  'UTF-16': Buffer.from('{"sensor":"x","value":1}', 'utf16le'),
  'something packed': gzipSync('{"sensor":"x","value":1}'),
  'half a character': Buffer.from([0x22, 0xe2, 0x82, 0x22]),
  nothing: Buffer.alloc(0),
  'a list without end': Buffer.from('['.repeat(200_000)),
  'a key that is none': Buffer.from('{"sensor":"x","__proto__":{"value":1}}'),
  'half a pair': Buffer.from('{"sensor":"\\ud800","value":1}'),
  'a text that no table takes': Buffer.from('{"sensor":"a\\u0000b","value":1}'),
  'another thing': Buffer.from('null'),
}
const COUNT = Object.keys(BAD).length

for (const store of STORES) {
  describe(`what brokers deliver and nothing can be made of, on ${store.name}`, () => {
    let server: TestKernel
    let model: ChannelModel
    let channel: Channel
    let client: MqttClient
    beforeAll(async () => {
      process.env['SVC_DOMAIN_BROKER_AMQP'] = AMQP_URL
      process.env['SVC_DOMAIN_BROKER_MQTT'] = MQTT_URL
      model = await connect(AMQP_URL)
      channel = await model.createChannel()
      client = await connectAsync(MQTT_URL, { protocolVersion: 5 })
      server = await startTestKernel({
        store,
        config: {
          outbound: { allow_private: [placeOf(AMQP_URL), placeOf(MQTT_URL)] },
          jobs: { poll_seconds: 1 },
        },
      })
    })
    afterAll(async () => {
      await server.stop()
      await model.close()
      await client.endAsync(true)
      for (const one of ['AMQP', 'MQTT']) delete process.env[`SVC_DOMAIN_BROKER_${one}`]
    })
    const WRITE = {
      resource: 'Reading',
      match: 'sensor',
      mapping: { sensor: '$message.sensor', value: '$message.value' },
    }
    const definitionOf = (name: string, integration: object, operation: object) =>
      JSON.stringify({
        domain: {
          name: 'plant',
          version: '1.0.0',
          resources: {
            Reading: {
              object: { sensor: { type: 'string', unique: true, required: true }, value: 'integer' },
            },
          },
          integrations: {
            [name]: {
              ...integration,
              operations: { take: { direction: 'consume', write: WRITE, ...operation } },
            },
          },
        },
      })
    const consume = async (name: string, type: 'amqp' | 'mqtt', operation: object) => {
      const url = `\${SVC_DOMAIN_BROKER_${type.toUpperCase()}}`
      const own = type === 'mqtt' ? { clientId: `svc-${randomUUID()}` } : {}
      await server.submit(definitionOf(name, { type, url, ...own }, operation), { allow_destructive: true })
      onTestFinished(async () => {
        const off = { type, url, enabled: false }
        await server.submit(definitionOf(name, off, operation), { allow_destructive: true })
      })
      await vi.waitFor(async () => {
        const { body } = await look(`integrations/${name}/health`)
        expect(body.data).toMatchObject({ connected: true })
      }, LONG)
    }
    const look = (path: string) => server.request('GET', `/api/v1/plant/${path}`, { token: server.admin })
    const known = (sensor: string, value: number) =>
      vi.waitFor(async () => {
        const { body } = await look(`readings?filter[sensor]=${encodeURIComponent(sensor)}`)
        expect(body.data.items).toMatchObject([{ sensor, value }])
      }, LONG)
    /** Every one of them is a dead letter, and no more is kept of it than is shown. */
    const areLetters = async (name: string, count: number) => {
      const { body } = await look(`integrations/${name}/deadletter?limit=100`)
      expect(body.data.items).toHaveLength(count)
      for (const { id } of body.data.items) {
        const { status, body: one } = await look(`integrations/${name}/deadletter/${id}`)
        expect(status).toBe(200)
        expect(one.data).toMatchObject({ status: 'pending', direction: 'inbound', operation: 'take' })
        expect(['BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'VALIDATION_ERROR']).toContain(one.data.error.code)
        expect(JSON.stringify(one.data.payload).length).toBeLessThan(MOST_KEPT * 6)
      }
      const log = await look(`integrations/${name}/log?success=false&limit=100`)
      expect(log.status).toBe(200)
    }

    it('8.6: amqp: each is a dead letter, whatever it says of itself, and the consumer goes on', async () => {
      const queue = `svc-test-${randomUUID()}`
      await channel.assertQueue(queue, { durable: true })
      onTestFinished(async () => void (await channel.deleteQueue(queue)))
      await consume('line', 'amqp', { queue, prefetch: 50 })
      const says: readonly Options.Publish[] = [
        { contentType: 'application/json; charset=utf-16', contentEncoding: 'gzip' },
        { contentType: 'image/png', contentEncoding: 'no-such-encoding', type: 'x'.repeat(255) },
        { headers: { list: [1, [2]], table: { deep: { er: true } }, nothing: null, 'X-Name': 'a\0ü' } },
      ]
      let value = 0
      for (const bad of Object.values(BAD)) {
        channel.sendToQueue(queue, bad, says[value % says.length])
        value += 1
        channel.sendToQueue(
          queue,
          Buffer.from(JSON.stringify({ sensor: 'amqp', value })),
          says[value % says.length],
        )
      }
      await known('amqp', COUNT)
      await areLetters('line', COUNT)
      await vi.waitFor(async () => expect((await channel.checkQueue(queue)).messageCount).toBe(0), LONG)
    })

    it('8.6: as text, what is not encoded as UTF-8 is a dead letter', async () => {
      const queue = `svc-test-${randomUUID()}`
      await channel.assertQueue(queue, { durable: true })
      onTestFinished(async () => void (await channel.deleteQueue(queue)))
      const mapping = { sensor: '$message', value: 1 }
      await consume('texts', 'amqp', { queue, format: 'text', write: { ...WRITE, mapping } })
      for (const one of ['50 MB', 'bytes of every value', 'half a character'])
        channel.sendToQueue(queue, BAD[one]!)
      channel.sendToQueue(queue, Buffer.from('a\0b'))
      channel.sendToQueue(queue, Buffer.from('a text, and no JSON'))
      await known('a text, and no JSON', 1)
      await areLetters('texts', 4)
    })

    it('8.4, 8.6: mqtt: each is a dead letter, on whatever topic it came', async () => {
      const topic = `svc-test/${randomUUID()}`
      const mapping = { ...WRITE.mapping, sensor: '$topic' }
      await consume('field', 'mqtt', { topic: `${topic}/#`, write: { ...WRITE, mapping } })
      for (const bad of Object.values(BAD).slice(0, 8))
        await client.publishAsync(`${topic}/a`, bad, { qos: 1 })
      const topics = ['', '/', '/a b', '/ü', '/$a', '//', '/a/b/c', `/${'x'.repeat(150)}`]
      for (const [at, one] of topics.entries())
        await client.publishAsync(`${topic}${one}`, JSON.stringify({ value: at }), { qos: 1 })
      for (const [at, one] of topics.entries()) await known(`${topic}${one}`, at)
      await areLetters('field', 8)
    })

    it('8.4: a wildcard stands for one level, or for all that follow, and a topic names what it was', async () => {
      const topic = `svc-test/${randomUUID()}`
      const mapping = { ...WRITE.mapping, sensor: '$topic' }
      await consume('levels', 'mqtt', { topic: `${topic}/+/temperature`, write: { ...WRITE, mapping } })
      for (const one of ['north/temperature', 'north/wing/temperature', 'north/pressure', '/temperature'])
        await client.publishAsync(`${topic}/${one}`, JSON.stringify({ value: 1 }), { qos: 1 })
      await known(`${topic}//temperature`, 1)
      await known(`${topic}/north/temperature`, 1)
      const { body } = await look('readings?limit=1000')
      const heard = body.data.items.filter(({ sensor }: { sensor: string }) => sensor.startsWith(topic))
      expect(heard).toHaveLength(2)
      await areLetters('levels', 0)
    })

    it.each(['a/#/b', 'a#', 'a+/b', '#/a', 'a\0b'])('8.4: %j is no filter, and refused', async (topic) => {
      const content = definitionOf('none', { type: 'mqtt', url: '${SVC_DOMAIN_BROKER_MQTT}' }, { topic })
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body.errors)).toMatch(/filter of topics|control|NUL/)
    })
  })
}
