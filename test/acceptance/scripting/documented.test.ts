import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../kit/server-process.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel } from '../../kit/test-kernel.ts'

const page = readFileSync(new URL('../../../docs/scripting.md', import.meta.url), 'utf8')
const block = (kind: string) => new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? ''
const ORDERS = '/api/v1/shop/orders'

for (const store of STORES) {
  describe(`the example of docs/scripting.md on ${store.name}`, () => {
    it('does what the page says', async () => {
      const scripts = createFolder()
      scripts.write(block('js'), 'orders.js')
      const config = { scripting: { dir: scripts.path } }
      const server = await startTestKernel({ store, config, definition: block('yaml') })
      try {
        const send = (method: string, path: string, body?: object) =>
          server.request(method, path, { token: server.admin, ...(body && { body }) })
        const { body: made } = await send('POST', ORDERS, { total: 25 })
        const path = `${ORDERS}/${made.data.id}`
        expect((await send('POST', `${path}/transitions/send`)).body).toMatchObject({
          code: 422,
          error_code: 'HOOK_FAILED',
          error_message: '25 is still to be paid',
        })
        expect((await send('POST', `${path}/pay`)).body.data).toEqual({ paid: 25, thanks: true })
        expect((await send('POST', `${path}/transitions/send`)).body.data.status).toBe('sent')
        const letters = async () => (await send('GET', '/api/v1/shop/letters')).body.data.items
        await expect.poll(letters).toMatchObject([{ orderId: made.data.id, text: 'It is on its way.' }])
      } finally {
        await server.stop()
        scripts.remove()
      }
    })
  })
}
