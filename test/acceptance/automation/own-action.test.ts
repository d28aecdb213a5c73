import { SYSTEM, type Plugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const TELEGRAMS = new URL('../../fixtures/third-party-plugin/telegrams.js', import.meta.url).href
const { plugin }: { readonly plugin: Plugin } = await import(TELEGRAMS)

const shop = (input: string, version = '1') => `
domain:
  name: shop
  version: '${version}'
  resources:
    Order: { object: { title: string }, permissions: { create: ['*'] } }
  workflows:
    welcome:
      trigger: { resource: Order, event: create }
      steps: { tell: { action: telegram, input: ${input} } }
`

for (const store of STORES) {
  describe(`an action of a plugin on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      plugins: [plugin],
      definition: shop("{ words: 'order {title} has come' }"),
    })

    it('is done by the steps of a workflow', async () => {
      await server().request('POST', '/api/v1/shop/orders', { body: { title: 'nails' } })
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
      const { body } = await server().request('GET', '/api/v1/telegrams', { token: server().admin })
      expect(body.data.telegrams).toEqual([{ words: 'ORDER NAILS HAS COME', by: 'welcome' }])
    })

    it('tells what is wrong with it at its line', async () => {
      const { body } = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content: shop("{ words: 'order {titel} has come' }", '2') },
      })
      expect(body).toMatchObject({
        error_code: 'PARSE_ERROR',
        errors: [{ path: 'domain.workflows.welcome.steps.tell.input.words', line: 10 }],
      })
      const missing = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content: shop('{}', '2') },
      })
      expect(missing.body.errors).toMatchObject([{ message: expect.stringContaining('Say what it tells') }])
    })
  })
}
