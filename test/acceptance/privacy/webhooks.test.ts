import { SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSink, type Sink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

for (const store of STORES) {
  describe(`webhooks and restrictions on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: clinic(),
      config: { outbound: { allow_private: ['127.0.0.1'] }, jobs: { enabled: false } },
    })
    let sink: Sink
    beforeAll(async () => {
      sink = await startSink(() => ({ status: 204 }))
    })
    afterAll(() => sink.stop())

    it('P20: nothing is told outside of a record that automation passes over, and the log says so', async () => {
      const { token } = await server().account('dpo', ['dpo', 'admin'])
      const send = (method: string, path: string, body?: unknown) =>
        server().request(method, path, { token, ...(body !== undefined && { body }) })
      const endpoint = { url: `${sink.url}/hook`, events: ['svc.clinic.*'], as: 'dpo' }
      expect((await send('POST', '/api/v1/admin/webhooks', endpoint)).status).toBe(201)
      const ids: string[] = []
      for (const name of ['free', 'bound']) {
        const email = `${name}@example.org`
        ids.push((await send('POST', `${BASE}/patients`, { name, email })).body.data.id)
      }
      const asked = { reason: 'x', restrictedOperations: ['automate'] }
      expect((await send('POST', about('bound@example.org', '/restrict'), asked)).status).toBe(200)
      for (const id of ids)
        expect((await send('PATCH', `${BASE}/patients/${id}`, { remark: 'changed' })).status).toBe(200)
      for (let turn = 0; turn < 4; turn += 1) await server().kernel.callAs(SYSTEM)('jobs.tick', {})
      const told = () => sink.received.filter(({ body }) => String(body).includes('changed'))
      await expect.poll(() => told().length, { timeout: 10_000 }).toBe(1)
      expect([told()[0]!.body.includes(ids[0]!), told()[0]!.body.includes(ids[1]!)]).toEqual([true, false])
      expect(server().log.find(({ event }) => event === 'automation.passed_over')?.fields).toMatchObject({
        by: 'webhook',
        recordId: ids[1],
        code: 'RESTRICTED',
      })
    })
  })
}
