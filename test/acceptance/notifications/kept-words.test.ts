import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { kept, messages, STILL, tick } from './outbox.ts'

const shop = (
  version: string,
  { resource = 'Order', field = 'cost', words = '{title} costs {cost}' } = {},
) => `
domain:
  name: shop
  version: '${version}'
  resources:
    ${resource}:
      object: { title: string, contact: string, ${field}: integer }
      permissions: { list: ['*'], create: ['*'], fields: { ${field}: { read: [keeper] } } }
  rules:
    told:
      trigger: { resource: ${resource}, on: create }
      condition: title != null
      action: log
      message: told
      notification:
        channels: [email]
        recipients: { roles: [keeper], field: contact }
        template: { subject: '{title}', body: '${words}' }
`

for (const store of STORES) {
  describe(`messages that wait while the definition changes, on ${store.name}`, () => {
    const server = useTestKernel({ store, config: STILL })
    let orders = 0
    /** Raises a message under one definition, and sends it under another. */
    const across = async (between: () => Promise<unknown>) => {
      const title = `order ${(orders += 1)}`
      const { status } = await server().request('POST', '/api/v1/shop/orders', {
        body: { title, contact: 'out@example.org', cost: 4 },
      })
      expect(status).toBe(201)
      await between()
      await tick(server())
      const all = (await kept(server().kernel)).filter(({ subject }) => subject === title)
      return Object.fromEntries(all.map(({ recipient, body }) => [String(recipient), body]))
    }
    const submit = (content: string) => server().submit(content, { allow_destructive: true })

    it('N3: are told in the words that they were raised with', async () => {
      await server().account('keeper', ['keeper'])
      await submit(shop('1'))
      const sent = await across(() => submit(shop('2', { words: 'Something else' })))
      expect(Object.values(sent).toSorted()).toEqual([expect.stringMatching(/ costs $/), expect.any(String)])
      expect(sent['keeper@example.org']).toMatch(/^order \d+ costs 4$/)
      expect(sent['out@example.org']).toMatch(/^order \d+ costs $/)
    })

    it('N3: are told so after a rollback too', async () => {
      await submit(shop('3'))
      await submit(shop('4', { words: 'New words, {cost}' }))
      const sent = await across(async () => {
        const { status, body } = await server().request('POST', '/api/v1/domains/shop/rollback', {
          token: server().admin,
          body: {},
        })
        expect([status, body]).toMatchObject([200, {}])
      })
      expect(sent).toEqual({ 'keeper@example.org': 'New words, 4', 'out@example.org': 'New words, ' })
    })

    it.each([
      ['a field that they name is gone', '6', { field: 'price', words: '{title}' }],
      ['their resource is called otherwise', '8', { resource: 'Purchase' }],
    ])('N3: are told as anybody may be, where %s', async (_, version, changed) => {
      await submit(shop(String(Number(version) - 1)))
      const sent = await across(() => submit(shop(version, changed)))
      expect(sent['keeper@example.org']).toMatch(/^order \d+ costs $/)
      expect(sent['out@example.org']).toBe(sent['keeper@example.org'])
    })

    it('A6: the ledger keeps from its readers what it cannot judge any more', async () => {
      const all = await messages(server())
      expect(all.map(({ status }) => status)).toEqual(all.map(() => 'logged'))
      const [newest] = all
      expect([newest!.subject, newest!.body]).toEqual(['', ''])
    })
  })
}
