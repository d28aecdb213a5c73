import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const definition = `
domain:
  name: shop
  version: '1.0'
  resources:
    Part:
      object: { name: { type: string, maxLength: 20 }, price: money, secret: password }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`
const PARTS = '/api/v1/shop/parts'

for (const store of STORES) {
  describe(`answers in development on ${store.name}`, () => {
    const server = useTestKernel({ store, definition, environment: 'development' })

    it('are held against what the resource declares, and pass', async () => {
      const made = await server().request('POST', PARTS, {
        body: { name: 'bolt', price: 1.5, secret: 'Correct-horse-7' },
      })
      const { id } = made.body.data
      const answers = [
        made,
        await server().request('GET', PARTS),
        await server().request('GET', `${PARTS}?cursor=`),
        await server().request('GET', `${PARTS}/${id}`),
        await server().request('PATCH', `${PARTS}/${id}`, { body: { price: 2 } }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200])
    })

    it('that do not fit are refused, and name the place', async () => {
      const made = await server().request('POST', PARTS, { body: { name: 'nut' } })
      const { kernel } = server()
      const action = kernel.actions.find('svc.shop.part.get')!
      const stale = { ...action, handle: () => ({ id: made.body.data.id, name: 5, colour: 'red' }) }
      const answer = await kernel.pipeline.run(stale, {
        id: 'r1',
        transport: 'test',
        remote: '',
        params: { id: made.body.data.id },
        query: {},
        meta: () => undefined,
        signal: new AbortController().signal,
      })
      expect(answer.status).toBe(500)
      expect(JSON.parse(String(answer.body))).toMatchObject({
        error_code: 'RESPONSE_VALIDATION_FAILED',
        error_message: expect.stringContaining("'name'"),
      })
    })
  })
}
