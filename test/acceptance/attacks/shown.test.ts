import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel } from '../../kit/test-kernel.ts'
import { STILL, telling, tickets } from './desk.ts'

describe.each(STORES.map((store) => [store.name, store] as const))('what is declared on %s', (_, store) => {
  it('is shown to administrators with its variables as they are written', async () => {
    process.env['SVC_DOMAIN_SHOWN'] = 'value-of-the-variable'
    onTestFinished(() => void delete process.env['SVC_DOMAIN_SHOWN'])
    const url = 'https://example.org/hook?key=${SVC_DOMAIN_SHOWN}'
    const headers = { authorization: 'Bearer ${SVC_DOMAIN_SHOWN}' }
    const notification = { channels: [{ type: 'webhook', url, headers }], template: { body: 'x' } }
    const more = { message: 'As ${SVC_DOMAIN_SHOWN}', messageData: { a: ['${SVC_DOMAIN_SHOWN}'] } }
    const running = await startTestKernel({
      store,
      config: STILL,
      definition: tickets({ told: telling(notification, more) }),
    })
    onTestFinished(running.stop)
    for (const path of ['/rules', '/rules/told']) {
      const { status, body } = await running.request('GET', `/api/v1/shop${path}`, { token: running.admin })
      expect(status).toBe(200)
      expect(JSON.stringify(body)).not.toContain('value-of-the-variable')
      const shown = path === '/rules' ? body.data.items[0] : body.data
      expect(shown).toMatchObject(more)
    }
  })
})
