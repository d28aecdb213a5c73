import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder } from '../../kit/server-process.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { createProbing } from './probe.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      probe: {}
      object: { title: string, status: { type: string, enum: [open, done] } }
      stateMachine:
        field: status
        initial: open
        states: { open: { onExit: [leaving], transitions: { finish: { to: done } } }, done: {} }
      permissions: ${OPEN}
    Tag:
      object: { name: string }
      permissions: ${OPEN}
`
/** A hook that writes, as most scripts do. */
const SCRIPT = `on('svc.shop.order.leaving', async (event, { call }) => { await call('svc.shop.tag.create', { data: { name: 'left' } }) })`

for (const store of STORES) {
  describe(`a hook that writes, of a script, on ${store.name}`, () => {
    const probing = createProbing()
    const scripts = createFolder()
    let server: TestKernel

    beforeAll(async () => {
      scripts.write(SCRIPT, 'leaving.js')
      const config = { scripting: { dir: scripts.path } }
      server = await startTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION, config })
    })
    afterAll(async () => {
      await server.stop()
      scripts.remove()
    })
    const make = async () =>
      (await server.request('POST', '/api/v1/shop/orders', { body: { title: 'x' } })).body.data.id as string

    it('writes where the record is moved by itself', async () => {
      const path = `/api/v1/shop/orders/${await make()}/transitions/finish`
      expect((await server.request('POST', path)).status).toBe(200)
      expect((await server.request('GET', '/api/v1/shop/tags')).body.data.count).toBe(1)
    })

    it('is refused at once inside the transaction of a block', async () => {
      const key = await make()
      probing.probe = (data, call) =>
        data.write(call, (writes) =>
          writes.record({
            kind: 'transition',
            resource: data.model.resources.get('Order')!,
            key,
            name: 'finish',
          }),
        )
      const began = Date.now()
      const { status, body } = await server.request('POST', '/api/v1/shop/orders/probe', { body: {} })
      expect([status, body.error_code]).toEqual([422, 'HOOK_FAILED'])
      expect(Date.now() - began).toBeLessThan(5000)
      expect((await server.request('GET', '/api/v1/shop/tags')).body.data.count).toBe(1)
    })
  })
}
