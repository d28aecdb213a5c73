import type { Plugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { messages, STILL, tick } from './outbox.ts'
import { tell } from './tell.ts'

const PAGER = new URL('../../fixtures/third-party-plugin/pager.js', import.meta.url).href
const { plugin }: { readonly plugin: Plugin } = await import(PAGER)

const shop = (channel: string) => `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { title: string, contacts: { type: array, items: string } }
      permissions: { create: ['*'] }
  tell:
    it:
      resource: Order
      notification: { channels: [${channel}], recipients: { field: contacts }, template: { body: '{title}' } }
`
const GOOD = "{ type: pager, network: eu.example, key: '${SVC_DOMAIN_PAGER}' }"

for (const store of STORES) {
  describe(`a channel of a plugin on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin, tell], config: STILL })

    it('carries a message for each recipient, with its settings and its secret', async () => {
      process.env['SVC_DOMAIN_PAGER'] = 'let me in'
      await server().submit(shop(GOOD))
      const answers = ['busy', 'taken', 'gone', 'taken']
      const pages: Record<string, unknown>[] = []
      const unhear = server().kernel.bus.on('pager.page', (event) => {
        pages.push(event as Record<string, unknown>)
        return answers.shift()
      })
      const body = { title: 'The '.repeat(20), contacts: ['ada', 'bea', 'cleo'] }
      await server().request('POST', '/api/v1/shop/orders', { body })
      await tick(server())
      const statuses = async () => (await messages(server())).map(({ status }) => status).sort()
      expect(await statuses()).toEqual(['failed', 'pending', 'sent'])
      const [waiting] = await messages(server(), '?status=pending')
      expect(waiting!.nextAttemptAt).toBe(new Date(server().clock.now() + 60_000).toISOString())
      server().clock.advance(60_000)
      await tick(server())
      unhear()
      expect(await statuses()).toEqual(['failed', 'sent', 'sent'])
      expect(pages.map(({ to }) => to).toSorted()).toEqual(
        [waiting!.recipient, 'ada', 'bea', 'cleo'].toSorted(),
      )
      for (const page of pages)
        expect(page).toMatchObject({ network: 'eu.example', key: 'let me in', line: 'The '.repeat(10) })
      const kept = JSON.stringify([await messages(server()), server().log])
      expect(kept).not.toContain('let me in')
    })

    it('[3.1] whose secret is not set fails, and is not tried again', async () => {
      delete process.env['SVC_DOMAIN_PAGER']
      await server().submit(shop(GOOD.replace('PAGER}', 'PAGER:public}')))
      await server().request('POST', '/api/v1/shop/orders', { body: { title: 'x', contacts: ['dan'] } })
      await tick(server())
      expect(await messages(server(), '?recipient=dan')).toMatchObject([
        {
          status: 'failed',
          error: { code: 'CONFLICT', message: expect.stringContaining('SVC_DOMAIN_PAGER') },
        },
      ])
    })

    it.each([
      ['{ type: pager }', 'network'],
      ["{ type: pager, network: eu, key: '${SVC_DOMAIN_PAGER:x}' }", "'eu' is no network"],
      ['{ type: pager, network: eu.example, key: hush }', 'secret'],
      ["{ type: pager, network: eu.example, key: '${SVC_DOMAIN_PAGER:x}', colour: red }", 'colour'],
    ])('is told what is wrong with %s', async (channel, message) => {
      const { request, admin } = server()
      const { status, body } = await request('POST', '/api/v1/domains', {
        token: admin,
        body: { content: shop(channel) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body.errors)).toContain(message)
    })
  })
}
