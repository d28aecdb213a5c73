import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const PATH = '/api/v1/shop/integrations/far/operations/tell'
const config = { outbound: { allow_private: ['127.0.0.1'] }, jobs: { enabled: false } }

for (const store of STORES) {
  describe(`an operation that is asked for under one key on two servers on ${store.name}`, () => {
    const server = useTestKernel({ store, config })
    let sink: Sink
    let said: SinkAnswer = { status: 200 }
    beforeAll(async () => {
      sink = await startSink(async () => {
        await new Promise((resolve) => setTimeout(resolve, 100))
        return said
      })
      await server().submit(
        JSON.stringify({
          domain: {
            name: 'shop',
            version: '1.0.0',
            resources: { Order: { object: { number: 'string' } } },
            integrations: {
              far: {
                type: 'rest',
                baseUrl: sink.url,
                operations: { tell: { method: 'POST', body: { n: '$input.n' }, input: { n: 'integer' } } },
              },
            },
          },
        }),
      )
    })
    afterAll(() => sink.stop())

    it('2.9, 5.1: is sent once; the others are 409 or told what came of it, and what has failed may be asked for again', async () => {
      const second = await startSecond(server().database, server().clock, [], config)
      const both = [server().request, second.request]
      const tell = (key: string, at = 0) =>
        both[at % 2]!('POST', PATH, {
          token: server().admin,
          headers: { 'idempotency-key': key },
          body: { input: { n: 1 } },
        })
      for (let round = 0; round < 4; round += 1) {
        const before = sink.received.length
        const answers = await Promise.all([0, 1, 2, 3].map((at) => tell(`key ${round}`, at)))
        expect([round, sink.received.length - before]).toEqual([round, 1])
        const done = answers.filter(({ status }) => status === 200)
        expect([...new Set(done.map(({ body }) => body.data.runId))]).toHaveLength(1)
        expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
        for (const at of [0, 1]) {
          const again = await tell(`key ${round}`, at)
          expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
        }
        expect([round, sink.received.length - before]).toEqual([round, 1])
      }
      said = { status: 500 }
      expect((await tell('fails')).status).toBe(502)
      said = { status: 200 }
      expect((await tell('fails', 1)).status).toBe(200)
      await second.stop()
    })
  })
}
