import type { Config } from '@svc/kernel'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { type Got, type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { OPEN } from '../rules/desk.ts'

/** Each order is told of by a webhook; what its rule says is told of as well. */
const shop = (url: string, said: string) => `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { title: string }
      permissions: ${OPEN}
  rules:
    told:
      trigger: { resource: Order, on: create }
      condition: title != null
      action: log
      message: told
      notification:
        channels: [{ type: webhook, url: '${url}/in' }]
        template: { body: '${said} {title}' }
`
/** No lease ends in these tests: their clock stands still. */
const WORKING = {
  jobs: { poll_seconds: 0.2, workers: 1, drain_timeout_ms: 100 },
  outbound: { allow_private: ['127.0.0.1'] },
}
const IDLE = { ...WORKING, jobs: { enabled: false } }

for (const store of STORES) {
  describe(`promises that are kept by any server, on ${store.name}`, () => {
    let sink: Sink
    let answer: (got: Got) => SinkAnswer
    beforeEach(async () => {
      answer = () => ({ status: 204 })
      sink = await startSink((got) => answer(got))
    })
    afterEach(() => sink.stop())

    async function start(config: Config): Promise<TestKernel> {
      const server = await startTestKernel({ store, config, definition: shop(sink.url, 'made') })
      onTestFinished(server.stop)
      return server
    }
    const second = async ({ database, clock }: TestKernel, config: Config = WORKING) => {
      const other = await startSecond(database, clock, [], config)
      onTestFinished(other.stop)
      return other
    }
    const order = async ({ request }: Pick<TestKernel, 'request'>, ...titles: readonly string[]) => {
      for (const title of titles)
        expect((await request('POST', '/api/v1/shop/orders', { body: { title } })).status).toBe(201)
    }
    const bodyOf = ({ body }: Got) => String(JSON.parse(body).body)
    const got = () => sink.received.map(bodyOf)
    const arrived = (...bodies: readonly string[]) =>
      expect.poll(() => [...new Set(got())].toSorted(), { timeout: 10_000 }).toEqual(bodies.toSorted())

    it('J4: at a stop nothing new begins, and what does not end within the drain is free at once', async () => {
      answer = () => 'hang'
      const titles = Array.from({ length: 40 }, (_, at) => `${at}`)
      const first = await start(WORKING)
      await order(first, ...titles)
      await expect.poll(got).not.toEqual([])
      // The database outlives it: the second server has it to itself.
      await first.kernel.stop()
      const begun = got().length
      expect(begun).toBeLessThan(titles.length)
      answer = () => ({ status: 204 })
      await second(first)
      await arrived(...titles.map((title) => `made ${title}`))
      // What was under way comes twice, and says so by its id.
      const ids = new Set(sink.received.map(({ headers }) => headers['webhook-id']))
      expect([got().length, ids.size]).toEqual([titles.length + begun, titles.length])
    })

    it('J5: what another server has put is begun within the period; a server that starts takes up what lies there', async () => {
      const idle = await start(IDLE)
      await order(idle, 'before')
      await second(idle)
      await arrived('made before')
      await order(idle, 'later')
      await arrived('made before', 'made later')
    })

    it('J6: one piece that fails stops no other', async () => {
      answer = (one) => (bodyOf(one) === 'made two' ? 'die' : { status: 204 })
      const server = await start(WORKING)
      await order(server, 'one', 'two', 'three', 'four')
      await arrived('made one', 'made two', 'made three', 'made four')
      const states = async () => {
        const { body } = await server.request('GET', '/api/v1/shop/notifications', { token: server.admin })
        return body.data.items.map((entry: any) => entry.status).toSorted()
      }
      await expect.poll(states).toEqual(['pending', 'sent', 'sent', 'sent'])
    })

    it('J6: a definition that is swapped while work runs changes nothing of what was promised before', async () => {
      const server = await start(IDLE)
      await order(server, 'one')
      await server.submit(shop(sink.url, 'now made').replace("version: '1'", "version: '2'"))
      await order(server, 'two')
      await second(server)
      await arrived('made one', 'now made two')
    })
  })
}
