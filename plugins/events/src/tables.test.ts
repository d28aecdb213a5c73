import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { useTestKernel } from '../../../test/kit/test-kernel.ts'
import { tablesOf } from './tables.ts'

const definition = (privacy: string) => `
domain:
  name: shop
  version: '1.0.0'
  ${privacy}
  resources:
    Person:
      object: { name: { type: string, privacy: { personal: true } } }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
`

for (const store of STORES) {
  describe(`the tables of events on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: definition('') })
    const indexed = async () => {
      const { tables } = await server().kernel.get(StoreCapability).catalog()
      const { name } = tablesOf({ name: 'shop' }).events
      return tables.find((one) => one.name === name)!.indexes.map(({ columns }) => columns.join(' '))
    }

    it('finds events by their records where persons are erased, and pays for that nowhere else', async () => {
      expect(await indexed()).not.toContain('recordId resource')
      await server().request('POST', '/api/v1/shop/people', { body: { name: 'Ann' } })
      await server().submit(definition('privacy: { subjectIdentifier: { primary: name } }'))
      expect(await indexed()).toContain('recordId resource')
      await server().submit(definition('privacy: { enabled: false, subjectIdentifier: { primary: name } }'))
      expect(await indexed()).not.toContain('recordId resource')
    })
  })
}
