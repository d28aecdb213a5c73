import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import type { TestAccount } from '../../kit/test-kernel.ts'
import { BASE, useWorkroom } from './workroom.ts'

/** What the filters of templates look at, and whether the clerk may know it. */
const FILTERS = {
  open: ["customer.name == $params.text and any(tags, text == 'red')", true],
  own: ['number == $params.text', true],
  field: ['customer.wage > 5', false],
  hidden: ['customer.pin startsWith $params.text', false],
  masked: ['customer.phone == $params.text', false],
  token: ['customer.key startsWith $params.text', false],
  rows: ["any(comments, text startsWith 'p')", false],
  beyond: ["customer.city.name == 'Ely'", false],
  record: ["vault.title == 'gold'", false],
  account: ['keeper.email startsWith $params.text', false],
} as const satisfies Record<string, readonly [string, boolean]>

const template = (name: string, filter: string, more = '') =>
  `    ${name}: { format: markdown, permissions: { generate: [admin, clerk, guest] }, ${more} parameters: [{ name: text, type: string, default: '' }], data: { all: { source: Order, filter: "${filter}" } }, body: '{size(all)}' }`

const SHOP = `
domain:
  name: shop
  version: '1'
  resources:
    City:
      object: { name: string }
      permissions: { list: [admin], get: [admin], create: [admin] }
    Customer:
      object: { name: string, wage: decimal, phone: string, key: token, pin: { type: string, hidden: true } }
      relationships: { city: { type: belongsTo, target: City } }
      permissions: { list: [admin, clerk], get: [admin, clerk], create: [admin], fields: { wage: { read: [admin] }, key: { read: [admin] }, phone: { read: [admin], mask: true } } }
    Vault:
      object: { title: string }
      permissions: { list: [admin], get: [admin], create: [admin] }
    Comment:
      object: { text: string }
      relationships: { order: { type: belongsTo, target: Order } }
      permissions: { list: [admin], get: [admin], create: [admin] }
    Tag:
      object: { text: string, userId: uuid }
      relationships: { order: { type: belongsTo, target: Order } }
      permissions: { list: [owner, admin], get: [owner, admin], create: [admin] }
    Order:
      object: { number: string }
      relationships:
        customer: { type: belongsTo, target: Customer }
        vault: { type: belongsTo, target: Vault }
        keeper: { type: belongsTo, target: User }
        comments: { type: hasMany, target: Comment, foreignKey: orderId }
        tags: { type: hasMany, target: Tag, foreignKey: orderId }
      permissions: { list: [admin, clerk], get: [admin, clerk], create: [admin] }
  templates:
${Object.entries(FILTERS)
  .flatMap(([name, [filter]]) => [
    template(name, filter),
    template(`${name}System`, filter, 'runAs: system,'),
  ])
  .join('\n')}
    tagged: { format: markdown, permissions: { generate: [admin, clerk] }, data: { all: { source: Order, filter: "any(tags, text == 'red')" } }, body: '{size(all)}' }
`

for (const store of STORES) {
  describe(`filters of templates that look at related records on ${store.name}`, () => {
    const room = useWorkroom(store, SHOP)
    let clerk: TestAccount
    const preview = async (name: string, token: string | undefined, text: string) => {
      const asked = name === 'tagged' ? {} : { text }
      const answer = await room().send('POST', `${BASE}/templates/${name}/preview`, token, asked)
      const { status, bytes, body } = answer
      return { status, said: status === 200 ? bytes.toString().trim() : body.error_code }
    }
    const make = (path: string, values: object) => room().record(path, values)

    beforeAll(async () => {
      clerk = await room().account('clara', ['clerk'])
      const keeper = await room().account('kim', ['buyer'])
      const cityId = await make('cities', { name: 'Ely' })
      const customer = { name: 'Ann', wage: 7, phone: 'Ann', pin: 'Ann4711', cityId }
      const customerId = await make('customers', customer)
      const vaultId = await make('vaults', { title: 'gold' })
      const order = { number: 'Ann', customerId, vaultId, keeperId: keeper.id }
      const orderId = await make('orders', order)
      await make('orders', { number: 'other' })
      await make('comments', { text: 'private', orderId })
      await make('tags', { text: 'red', orderId, userId: clerk.id })
    })

    it.each(Object.entries(FILTERS).map(([name, [filter, isOpen]]) => [name, filter, isOpen] as const))(
      'C6.4 [4.3]: %s, %s, is open to the clerk: %s',
      async (name, _, isOpen) => {
        for (const text of ['Ann', 'zz']) {
          const found = text === 'Ann' ? '1' : '0'
          expect(await preview(name, clerk.token, text)).toEqual(
            isOpen ? { status: 200, said: found } : { status: 403, said: 'FORBIDDEN' },
          )
        }
      },
    )

    it('C6.4: a list that a filter looks at holds what the caller may list', async () => {
      const orderId = await make('orders', { number: 'tagged' })
      expect((await preview('tagged', clerk.token, '')).said).toBe('1')
      await make('tags', { text: 'red', orderId })
      expect((await preview('tagged', clerk.token, '')).said).toBe('1')
      expect((await preview('tagged', room().server.admin, '')).said).toBe('2')
    })

    it('C6.4: who may not list the records at all is refused as ever', async () => {
      const guest = await room().account('gus', ['guest'])
      expect((await preview('field', guest.token, 'Ann')).status).toBe(403)
      expect((await preview('field', undefined, 'Ann')).status).toBe(401)
    })

    it('C6.4: as the system a filter looks at everything', async () => {
      for (const name of Object.keys(FILTERS).filter((one) => !['token', 'account'].includes(one))) {
        const { status, said } = await preview(`${name}System`, clerk.token, 'Ann')
        expect([name, status, said]).toEqual([name, 200, '1'])
      }
    })
  })
}
