import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type ConfirmChannel, connect } from 'amqplib'
import { connectAsync } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Proxy, startProxy } from '../acceptance/integrations/proxy.ts'
import { startMosquitto, startRabbit, type TestBroker } from '../kit/brokers.ts'
import { makeAdmin } from '../kit/first-admin.ts'
import { createRandom } from '../kit/random.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES, type StoreUnderTest } from '../kit/stores.ts'

// Messages of brokers that are ended and cut off, to a server that is killed: each has its effect once, and in order.

const MESSAGES = size('BROKERS_MESSAGES', { smoke: 20, whole: 1500 })
const SEED = size('BROKERS_SEED', { smoke: 1, whole: 1 })
/** On how many stores the broker restarts too: it asks nobody which one it is. */
const RESTARTS = size('BROKERS_RESTARTS', { smoke: 1, whole: STORES.length })
/** At which shares of the messages the server dies. */
const DEATHS = [0.45, 0.75].slice(0, size('BROKERS_DEATHS', { smoke: 1, whole: 2 }))
const LONG = { timeout: 90_000, interval: 200 }
/** What makes a message longer than what a broker sends at once. */
const PADDING = 'x'.repeat(20_000)

/** Somebody who sends messages until the broker has confirmed them. */
interface Sender {
  send(message: object): Promise<void>
  /** How many wait at the broker, acknowledged by nobody; undefined where it does not tell. */
  waiting(): Promise<number | undefined>
}

interface Kind {
  readonly name: 'amqp' | 'mqtt'
  start(): Promise<TestBroker>
  readonly operation: object
  /** Makes what has to be there before anything is sent. */
  prepare(broker: TestBroker, place: string): Promise<Sender>
}

/** Tries again until it is done, as whoever sends messages has to. */
async function insisting(attempt: () => Promise<void>): Promise<void> {
  for (let left = 300; ; left -= 1)
    try {
      return await attempt()
    } catch (error) {
      if (left === 0) throw error
      await delay(100)
    }
}

const amqp: Kind = {
  name: 'amqp',
  start: startRabbit,
  operation: { prefetch: 20 },
  async prepare({ url }, queue) {
    const on = async <T>(work: (channel: ConfirmChannel) => Promise<T>): Promise<T> => {
      const model = await connect(url)
      model.on('error', () => undefined)
      try {
        const channel = await model.createConfirmChannel()
        channel.on('error', () => undefined)
        return await work(channel)
      } finally {
        await model.close().catch(() => undefined)
      }
    }
    await on((channel) => channel.assertQueue(queue, { durable: true }))
    return {
      send: (message) =>
        insisting(() =>
          on(async (channel) => {
            const options = { persistent: true, messageId: String((message as { id: string }).id) }
            channel.sendToQueue(queue, Buffer.from(JSON.stringify(message)), options)
            await channel.waitForConfirms()
          }),
        ),
      waiting: () => on(async (channel) => (await channel.checkQueue(queue)).messageCount),
    }
  },
}

const mqtt: Kind = {
  name: 'mqtt',
  start: startMosquitto,
  operation: { dedupe: '$message.id' },
  async prepare({ url }, topic) {
    return {
      send: (message) =>
        insisting(async () => {
          const client = await connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 })
          client.on('error', () => undefined)
          try {
            const told = client.publishAsync(topic, JSON.stringify(message), { qos: 1 })
            await Promise.race([told, delay(3000).then(() => Promise.reject(new Error('no PUBACK')))])
          } finally {
            client.end(true)
          }
        }),
      waiting: async () => undefined,
    }
  },
}

for (const kind of [amqp, mqtt])
  describe(`messages of ${kind.name}`, () => {
    let broker: TestBroker
    let proxy: Proxy
    beforeAll(async () => {
      broker = await kind.start()
      proxy = await startProxy('127.0.0.1', broker.port)
    }, 120_000)
    afterAll(async () => {
      await proxy?.stop()
      await broker?.stop()
    })

    /** A server in a process of its own that consumes through the proxy. */
    async function plant(store: StoreUnderTest) {
      const place = `svc-test-${randomUUID()}`
      const sender = await kind.prepare(broker, place)
      const folder = createFolder()
      const database = await store.open()
      const config = folder.write(
        testConfig({
          ...database.config(),
          jobs: { poll_seconds: 0.2, lease_seconds: 1 },
          outbound: { allow_private: ['127.0.0.1'] },
          management: { socket: false },
        }),
      )
      const url = broker.url.replace(String(broker.port), String(proxy.port))
      const env = { SVC_DOMAIN_BROKER: url }
      const password = await makeAdmin(config)
      let server: ServerProcess = await startServer(config, { env })
      const token = await signIn(server.request, password)
      const look = async (path: string) => {
        const { status, body } = await server.request('GET', `/api/v1/plant/${path}`, { token })
        expect(status, JSON.stringify(body)).toBe(200)
        return body.data
      }
      const definition = {
        name: 'plant',
        version: '1.0.0',
        resources: { Effect: { object: { n: { type: 'integer', min: 0 } } } },
        integrations: {
          line: {
            type: kind.name,
            url: '${SVC_DOMAIN_BROKER}',
            ...(kind.name === 'mqtt' && { clientId: place }),
            operations: {
              take: {
                direction: 'consume',
                ...(kind.name === 'mqtt' ? { topic: place } : { queue: place }),
                ...kind.operation,
                write: { resource: 'Effect', action: 'create', mapping: { n: '$message.n' } },
              },
            },
          },
        },
      }
      const content = JSON.stringify({ domain: definition })
      const { status, body } = await server.request('POST', '/api/v1/domains', { token, body: { content } })
      expect(status, JSON.stringify(body)).toBe(201)
      const connected = () =>
        vi.waitFor(
          async () => expect(await look('integrations/line/health')).toMatchObject({ connected: true }),
          LONG,
        )
      await connected()
      return {
        sender,
        connected,
        look,
        async kill() {
          server.kill('SIGKILL')
          await server.exited
        },
        async start() {
          server = await startServer(config, { env })
        },
        async remove() {
          server.kill('SIGKILL')
          await server.exited
          await database.drop()
          folder.remove()
        },
        /** What took effect, in the order in which it did. */
        async effects(): Promise<readonly number[]> {
          const all: number[] = []
          for (let page = 1; ; page += 1) {
            const { items } = await look(`effects?sort=id&limit=1000&page=${page}`)
            all.push(...items.map(({ n }: { n: number }) => n))
            if (items.length < 1000) return all
          }
        },
      }
    }

    describe.each(STORES)('to a server on $name', (store) => {
      let planted: Awaited<ReturnType<typeof plant>>
      beforeAll(async () => {
        planted = await plant(store)
      }, 180_000)
      afterAll(() => planted?.remove())

      it('[8.5] that is killed before it acknowledges have no effect twice', async () => {
        const { sender, effects, kill, start } = planted
        await sender.send({ id: randomUUID(), n: 1 })
        await vi.waitFor(async () => expect(await effects()).toEqual([1]), LONG)
        proxy.mute(true)
        await sender.send({ id: randomUUID(), n: 2 })
        // It has committed, and nobody has heard of it.
        await vi.waitFor(async () => expect(await effects()).toEqual([1, 2]), LONG)
        await kill()
        proxy.cut()
        proxy.mute(false)
        if (kind.name === 'amqp')
          await vi.waitFor(async () => expect(await sender.waiting()).toBeGreaterThan(0), LONG)
        await start()
        await sender.send({ id: randomUUID(), n: 3 })
        await vi.waitFor(async () => expect((await effects()).at(-1)).toBe(3), LONG)
        expect(await effects()).toEqual([1, 2, 3])
        if (kind.name === 'amqp') await vi.waitFor(async () => expect(await sender.waiting()).toBe(0), LONG)
      }, 180_000)

      it('[8.5] [8.6] of brokers that restart and are cut off in the middle of them, with servers that die and a poison, take effect once each, in order', async () => {
        const random = createRandom(SEED)
        const { sender, effects, look, kill, start, connected } = planted
        const before = await effects()
        const poison = Math.floor(MESSAGES / 2)
        const every = (share: number) => Math.max(1, Math.floor(MESSAGES * share))
        for (let n = 1; n <= MESSAGES; n += 1) {
          if (n % Math.max(5, every(0.12)) === 0) proxy.cutAfter(1 + random.int(60_000))
          if (n === every(0.3) && STORES.indexOf(store) < RESTARTS) await broker.restart()
          if (DEATHS.some((share) => n === every(share))) await kill().then(start)
          await sender.send({ id: randomUUID(), n: n === poison ? -1 : n, padding: PADDING })
        }
        const come = Array.from({ length: MESSAGES }, (_, at) => at + 1).filter((n) => n !== poison)
        const wanted = [...before, ...come]
        await vi.waitFor(async () => expect(await effects()).toHaveLength(wanted.length), LONG)
        expect(await effects()).toEqual(wanted)
        await connected()
        const { items } = await look('integrations/line/deadletter')
        expect(items).toMatchObject([{ status: 'pending', direction: 'inbound', operation: 'take' }])
        // All is acknowledged: nothing comes again.
        await sender.send({ id: randomUUID(), n: 0 })
        await vi.waitFor(async () => expect((await effects()).at(-1)).toBe(0), LONG)
        expect(await effects()).toEqual([...wanted, 0])
        if (kind.name === 'amqp') await vi.waitFor(async () => expect(await sender.waiting()).toBe(0), LONG)
      }, 400_000)
    })
  })
