import { randomUUID } from 'node:crypto'
import { type Channel, type ChannelModel, connect } from 'amqplib'
import type { Plugin } from '@svc/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { AMQP_URL, placeOf } from './brokers.ts'

const TRACER = new URL('../../fixtures/third-party-plugin/tracer.js', import.meta.url).href
const { plugin: tracer } = (await import(TRACER)) as { readonly plugin: Plugin }

const LONG = { timeout: 20_000, interval: 30 }
const MESSAGES = 64
/** How many of them wait at a server at once. */
const PREFETCH = 100

for (const store of STORES) {
  describe(`messages that wait for those before them on ${store.name}`, () => {
    let server: TestKernel
    let model: ChannelModel
    let channel: Channel
    let queue = ''
    beforeAll(async () => {
      process.env['SVC_DOMAIN_BROKER_AMQP'] = AMQP_URL
      model = await connect(AMQP_URL)
      channel = await model.createChannel()
      server = await startTestKernel({
        store,
        plugins: [tracer],
        config: { outbound: { allow_private: [placeOf(AMQP_URL)] }, jobs: { poll_seconds: 1 } },
      })
    })
    afterAll(async () => {
      await server.stop()
      await model.close()
      delete process.env['SVC_DOMAIN_BROKER_AMQP']
    })
    beforeEach(async () => {
      queue = `svc-test-${randomUUID()}`
      await channel.assertQueue(queue, { durable: true })
      await consume({ enabled: false })
      onTestFinished(async () => {
        await consume({ enabled: false })
        await channel.deleteQueue(queue)
      })
    })
    const consume = (more: object, operation: object = {}) =>
      server.submit(
        JSON.stringify({
          domain: {
            name: 'plant',
            version: '1.0.0',
            resources: {
              Effect: { object: { n: { type: 'integer', min: 0 }, before: 'integer' } },
              Reading: { object: { sensor: { type: 'string', unique: true }, value: 'integer' } },
            },
            integrations: {
              line: {
                type: 'amqp',
                url: '${SVC_DOMAIN_BROKER_AMQP}',
                ...more,
                operations: {
                  take: {
                    direction: 'consume',
                    queue,
                    prefetch: PREFETCH,
                    write: { resource: 'Effect', action: 'create', mapping: { n: '$message.n' } },
                    ...operation,
                  },
                },
              },
            },
          },
        }),
        { allow_destructive: true },
      )
    const tell = (message: object, messageId: string = randomUUID()) =>
      channel.sendToQueue(queue, Buffer.from(JSON.stringify(message)), { messageId })
    const look = async (path: string) =>
      (await server.request('GET', `/api/v1/plant/${path}`, { token: server.admin })).body.data
    const effects = async () =>
      (await look('effects?sort=id&limit=1000')).items.map(({ n }: { n: number }) => n)
    /** Waits until these are the last that took effect. */
    const known = async (wanted: readonly number[]) =>
      vi.waitFor(async () => expect((await effects()).slice(-wanted.length)).toEqual(wanted), LONG)
    /** In how many transactions rows of a table were written since. */
    const transactions = (table: string, since: number) =>
      new Set(
        server.log.slice(since).flatMap(({ event, fields }) => {
          if (event !== 'span.ended') return []
          const { parent, facts } = fields as {
            readonly parent: number
            readonly facts: { readonly table?: string; readonly operation?: string }
          }
          return facts.table === table && facts.operation !== 'select' ? [parent] : []
        }),
      ).size

    it('8.5: take effect together, in their order, each with an entry of its own in the log', async () => {
      const wanted = Array.from({ length: MESSAGES }, (_, at) => at)
      for (const n of wanted) tell({ n })
      const since = server.log.length
      await consume({})
      await known(wanted)
      await vi.waitFor(async () => expect((await channel.checkQueue(queue)).messageCount).toBe(0), LONG)
      const count = transactions('plant__integrations__log', since)
      expect(count).toBeGreaterThan(0)
      expect(count).toBeLessThanOrEqual(MESSAGES / 4)
      const { items } = await look('integrations/line/log?limit=1000')
      expect(items.filter(({ success }: { success: boolean }) => success)).toHaveLength(MESSAGES)
      expect(new Set(items.map(({ runId }: { runId: string }) => runId)).size).toBe(MESSAGES)
    })

    it('8.5, 8.6: a poison and one that came before are told from the others, which take effect once and in order', async () => {
      const first = (await effects()).length
      const letters = (await look('integrations/line/deadletter')).items.length
      const [poisons, double] = [new Set([7, 20, 21]), 33]
      for (let n = 0; n < MESSAGES; n += 1) {
        tell({ n: poisons.has(n) ? -1 : n }, n === double ? `${queue}-${double - 1}` : `${queue}-${n}`)
        if (n === 40) channel.sendToQueue(queue, Buffer.from('no json'))
      }
      await consume({})
      const wanted = Array.from({ length: MESSAGES }, (_, at) => at).filter(
        (n) => !poisons.has(n) && n !== double,
      )
      await known(wanted)
      expect((await effects()).length).toBe(first + wanted.length)
      expect((await look('integrations/line/deadletter')).items).toHaveLength(letters + 4)
      await vi.waitFor(async () => expect((await channel.checkQueue(queue)).messageCount).toBe(0), LONG)
    })

    it('8.5, 4.7: what one of them looks for is what the one before it has written', async () => {
      const write = {
        resource: 'Reading',
        match: 'sensor',
        mapping: {
          sensor: '$message.sensor',
          value: "$(coalesce(findOne('Reading', 'sensor', $message.sensor).value, 0) + 1)",
        },
      }
      for (let n = 0; n < 30; n += 1) tell({ sensor: queue })
      await consume({}, { write })
      await vi.waitFor(async () => {
        const { items } = await look(`readings?filter[sensor]=${queue}`)
        expect(items.map(({ value }: { value: number }) => value)).toEqual([30])
      }, LONG)
    })
  })
}
