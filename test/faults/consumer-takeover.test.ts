import { randomUUID } from 'node:crypto'
import { connect } from 'amqplib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Proxy, startProxy } from '../acceptance/integrations/proxy.ts'
import { startRabbit, type TestBroker } from '../kit/brokers.ts'
import { makeAdmin } from '../kit/first-admin.ts'
import { createFolder, type ServerProcess, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { size } from '../kit/size.ts'
import { STORES, type StoreUnderTest } from '../kit/stores.ts'

// The one consumer of a queue, whose server dies or stops: another server goes on, or the same one where it is alone.

/** What rulings give a server that takes over, beyond the lease of the one that died, in milliseconds. */
const TAKEOVER_MS = 10_000
const SERVERS = size('TAKEOVER_SERVERS', { smoke: 2, whole: 3 })
/** How many of them are killed, one after the other. */
const KILLS = size('TAKEOVER_KILLS', { smoke: 1, whole: 2 })

/** A server in a process of its own, and the way to the broker that it alone goes by. */
interface Plant {
  readonly server: ServerProcess
  readonly proxy: Proxy
}

let broker: TestBroker
beforeAll(async () => {
  broker = await startRabbit()
}, 120_000)
afterAll(() => broker?.stop())

for (const store of STORES) {
  const servers = store.name === 'postgres' ? SERVERS : 1

  /** Servers over one database, of which one consumes a queue of its own. */
  async function plants({ open }: StoreUnderTest, leaseSeconds: number) {
    const queue = `svc-test-${randomUUID()}`
    const model = await connect(broker.url)
    model.on('error', () => undefined)
    const channel = await model.createConfirmChannel()
    await channel.assertQueue(queue, { durable: true })
    const folder = createFolder()
    const database = await open()
    const config = folder.write(
      testConfig({
        ...database.config(),
        jobs: { poll_seconds: 0.2, lease_seconds: leaseSeconds },
        outbound: { allow_private: ['127.0.0.1'] },
        management: { socket: false },
      }),
    )
    const password = await makeAdmin(config)
    const running: Plant[] = []
    const proxies: Proxy[] = []
    const start = async () => {
      const proxy = await startProxy('127.0.0.1', broker.port)
      proxies.push(proxy)
      const env = { SVC_DOMAIN_BROKER: broker.url.replace(String(broker.port), String(proxy.port)) }
      running.push({ server: await startServer(config, { env }), proxy })
    }
    onTestFinished(async () => {
      for (const { server } of running) server.kill('SIGKILL')
      await Promise.all(running.map(({ server }) => server.exited))
      for (const proxy of proxies) await proxy.stop()
      await model.close().catch(() => undefined)
      await database.drop()
      folder.remove()
    })
    for (let at = 0; at < servers; at += 1) await start()
    const token = await signIn(running[0]!.server.request, password)
    const take = {
      direction: 'consume',
      queue,
      prefetch: 20,
      write: { resource: 'Effect', action: 'create', mapping: { n: '$message.n' } },
    }
    const content = JSON.stringify({
      domain: {
        name: 'plant',
        version: '1.0.0',
        resources: { Effect: { object: { n: 'integer' } } },
        integrations: { line: { type: 'amqp', url: '${SVC_DOMAIN_BROKER}', operations: { take } } },
      },
    })
    const { status, body } = await running[0]!.server.request('POST', '/api/v1/domains', {
      token,
      body: { content },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    const effects = async (): Promise<readonly number[]> => {
      const path = '/api/v1/plant/effects?sort=id&limit=1000'
      const answer = await running[0]!.server.request('GET', path, { token })
      return (answer.body.data?.items ?? []).map(({ n }: { n: number }) => n)
    }
    let sent = 0
    return {
      start,
      effects,
      /** Sends so many messages; answers the numbers of all so far. */
      async send(count: number): Promise<readonly number[]> {
        for (let left = count; left > 0; left -= 1) {
          sent += 1
          const options = { persistent: true, messageId: randomUUID() }
          channel.sendToQueue(queue, Buffer.from(JSON.stringify({ n: sent })), options)
        }
        await channel.waitForConfirms()
        return Array.from({ length: sent }, (_, at) => at + 1)
      },
      /** The one that consumes, which is among those that run no more. */
      async takeHolder(): Promise<ServerProcess> {
        const holders = () => running.filter(({ proxy }) => proxy.open > 0)
        await vi.waitFor(() => expect(holders()).toHaveLength(1), { timeout: 30_000, interval: 20 })
        const [holder] = holders()
        running.splice(running.indexOf(holder!), 1)
        return holder!.server
      },
    }
  }

  describe(`the consumer of a queue on ${servers} servers over ${store.name}`, () => {
    it('8.5, 5.3: goes on within the lease and 10 s after kill -9, in order and each message once', async () => {
      const leaseSeconds = 2
      const { start, effects, send, takeHolder } = await plants(store, leaseSeconds)
      let wanted = await send(5)
      await vi.waitFor(async () => expect(await effects()).toEqual(wanted), { timeout: 30_000, interval: 50 })
      for (let kills = 0; kills < KILLS; kills += 1) {
        const holder = await takeHolder()
        wanted = await send(40)
        holder.kill('SIGKILL')
        await holder.exited
        // Where it was alone the time counts from the moment at which it is back.
        if (servers === 1) await start()
        wanted = await send(5)
        await vi.waitFor(async () => expect(await effects()).toEqual(wanted), {
          timeout: leaseSeconds * 1000 + TAKEOVER_MS,
          interval: 50,
        })
      }
    }, 180_000)

    it('8.5, 5.3: goes on after a clean stop without waiting for the end of the lease', async () => {
      const leaseSeconds = 600
      const { start, effects, send, takeHolder } = await plants(store, leaseSeconds)
      const first = await send(5)
      await vi.waitFor(async () => expect(await effects()).toEqual(first), { timeout: 30_000, interval: 50 })
      const holder = await takeHolder()
      await send(40)
      expect(await holder.stop()).toBe(0)
      if (servers === 1) await start()
      const wanted = await send(5)
      await vi.waitFor(async () => expect(await effects()).toEqual(wanted), {
        timeout: 30_000,
        interval: 50,
      })
    }, 180_000)
  })
}
