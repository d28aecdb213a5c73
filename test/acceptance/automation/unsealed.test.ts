import type { Plugin } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { OPEN } from '../rules/desk.ts'
import { send, tick } from '../workflows/desk.ts'

const VAULT = new URL('../../fixtures/third-party-plugin/vault.js', import.meta.url).href
const { plugin }: { readonly plugin: Plugin } = await import(VAULT)
const config = { jobs: { enabled: false }, vault: { key: Buffer.alloc(32, 7).toString('base64') } }

/** Everything that may keep something of a record keeps something of `code`. */
const shop = (version: string, type: string) => `
domain:
  name: shop
  version: '${version}'
  resources:
    Safe:
      features: { versioning: true }
      object: { label: string, code: ${type}, status: { type: string, enum: [open, shut] } }
      stateMachine: { field: status, initial: open, states: { open: { transitions: { shut: { to: shut } } }, shut: {} } }
      history:
        events: { closed: { on: transition, transition: shut, label: 'Shut with {code}', capture: [code] } }
      permissions: ${OPEN}
  rules:
    told:
      trigger: { resource: Safe, on: create }
      condition: code != null
      action: log
      history: true
      message: 'The code is {code}'
      messageData: { code: $record.code }
      notification: { channels: [log], template: { body: 'It is {code}' } }
  workflows:
    shuts:
      trigger: { resource: Safe, event: transition }
      steps: { wait: { wait: { resource: Safe, event: update, filter: "code == 'other'", timeout: { duration: 1d, then: end } } } }
`

for (const store of STORES) {
  describe(`what was sealed by a definition whose next one seals nothing, on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin], config, definition: shop('1', 'secret') })
    const get = (path: string) => send(server(), 'GET', `/api/v1/shop${path}`)
    let id: string
    beforeAll(async () => {
      const made = await send(server(), 'POST', '/api/v1/shop/safes', { label: 'one', code: 'c4nary' })
      ;({ id } = made)
      await send(server(), 'POST', `/api/v1/shop/safes/${id}/transitions/shut`, {})
      expect((await get('/rules/log')).items).toMatchObject([{ message: 'The code is c4nary' }])
      await server().submit(shop('2', 'string'), { allow_destructive: true })
    })

    it('B8, E6: is told on by the log of rules', async () => {
      expect((await get('/rules/log')).items).toMatchObject([
        {
          rule: 'told',
          recordId: id,
          outcome: 'logged',
          message: 'The code is c4nary',
          messageData: { code: 'c4nary' },
        },
      ])
    })

    it('B7, E6: is told on by timelines and versions', async () => {
      const { items } = await get(`/safes/${id}/history`)
      expect(items).toHaveLength(2)
      expect(items.map((item: { label: string }) => item.label)).toContain('Shut with c4nary')
      const versions = (await get(`/safes/${id}/versions`)).items
      expect(versions).toMatchObject([{ version: 1, data: { label: 'one', code: 'c4nary' } }])
    })

    it('N8, E6: is sent as it was raised', async () => {
      await tick(server())
      expect((await get('/notifications')).items).toMatchObject([
        {
          status: 'logged',
          body: 'It is c4nary',
          error: null,
        },
      ])
    })

    it('W7: keeps no wait from hearing what comes then', async () => {
      await send(server(), 'PATCH', `/api/v1/shop/safes/${id}`, { code: 'other' })
      await tick(server())
      expect((await get('/workflows/instances')).items).toMatchObject([{ status: 'completed' }])
    })
  })
}
