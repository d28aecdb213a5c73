import { fileURLToPath } from 'node:url'
import type { Plugin } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      receipts: true
      object: { title: { type: string, required: true } }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
`
const FIXTURE = fileURLToPath(new URL('../../fixtures/third-party-plugin/receipts.js', import.meta.url))
const LEASE_MS = 60_000

interface Receipt {
  readonly id: string
  readonly record: { readonly title: string }
}

for (const store of STORES) {
  describe(`work that a block puts with a write on ${store.name}`, () => {
    let server: TestKernel
    let sent: Receipt[] = []
    let fails = false

    beforeAll(async () => {
      const { plugin }: { readonly plugin: Plugin } = await import(FIXTURE)
      server = await startTestKernel({ store, plugins: [plugin], definition: DEFINITION })
      server.kernel.bus.on('receipts.send', (event) => {
        sent.push(event as Receipt)
        if (fails) throw new Error('the post office is closed')
      })
    })
    afterAll(() => server.stop())

    const order = (title: string) => server.request('POST', '/api/v1/shop/orders', { body: { title } })
    const titles = () => sent.map(({ record }) => record.title)

    it('is done once it is committed, and once', async () => {
      await order('first')
      await vi.waitFor(() => expect(titles()).toEqual(['first']))
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(titles()).toEqual(['first'])
    })

    it('is not there where the write is refused', async () => {
      sent = []
      expect((await server.request('POST', '/api/v1/shop/orders', { body: {} })).status).toBe(422)
      await new Promise((resolve) => setTimeout(resolve, 60))
      expect(sent).toEqual([])
    })

    it('is done by somebody else after a while, where whoever took it does not come back', async () => {
      sent = []
      fails = true
      await order('lost')
      await vi.waitFor(() => expect(titles()).toEqual(['lost']))
      fails = false
      server.clock.advance(LEASE_MS)
      await vi.waitFor(() => expect(titles()).toEqual(['lost', 'lost']))
      expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
    })
  })
}
