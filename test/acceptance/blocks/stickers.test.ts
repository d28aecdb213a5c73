import { defineFunction, DomainsCapability } from '@svc/domain/contract'
import type { Plugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const STICKERS = new URL('../../fixtures/third-party-plugin/stickers.js', import.meta.url).href
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DEFINITION = `
domain:
  name: post
  version: '1'
  resources:
    Parcel:
      object: { title: string, grams: integer }
      relationships: { house: { type: belongsTo, target: House } }
      computed: { area: district(house.postcode) }
      stickers:
        when: grams > 100 and district(house.postcode) == 'BS1'
        text: concat($printer, ' ', title, ' ', district(house.postcode))
        heavy: grams > limit and district(house.postcode) != 'LS1'
      permissions: { list: "house == null or district(house.postcode) != 'XX9'", get: ['*'], create: ['*'] }
    House: { object: { postcode: string }, permissions: ${OPEN} }
`
const at = (path: string): string => `/api/v1/post/${path}`

const { plugin }: { readonly plugin: Plugin } = await import(STICKERS)

for (const store of STORES) {
  describe(`expressions of a plugin on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin], definition: DEFINITION })
    const post = async (path: string, body: object) =>
      (await server().request('POST', at(path), { body })).body.data

    it('speak its functions in every place, in closures and SQL alike', async () => {
      const near = await post('houses', { postcode: 'bs1 4qd' })
      const far = await post('houses', { postcode: 'ls1 1aa' })
      const none = await post('houses', { postcode: 'xx9 1aa' })
      const nowhere = await post('houses', {})
      const made = await post('parcels', { title: 'a', grams: 200, houseId: near.id })
      expect(made).toMatchObject({ area: 'BS1' })
      await post('parcels', { title: 'b', grams: 300, houseId: far.id })
      await post('parcels', { title: 'c', grams: 300, houseId: none.id })
      expect(await post('parcels', { title: 'd', grams: 300, houseId: nowhere.id })).toMatchObject({
        area: null,
      })
      const titles = async (path: string) =>
        (await server().request('GET', at(path), { token: server().admin })).body.data
      const { items } = await titles('parcels?sort=title')
      expect(items.map(({ title }: { title: string }) => title)).toEqual(['a', 'b', 'd'])
      expect(await titles('parcels/stickers?limit=100')).toEqual({
        printed: ['left a BS1'],
        heavy: ['a', 'd'],
      })
      expect((await titles('parcels/stickers?limit=250')).heavy).toEqual(['d'])
    })

    it('are proposed where a name is nearly theirs', async () => {
      const content = DEFINITION.replace('area: district(', 'area: distrct(')
      const { status, body } = await server().request('POST', '/api/v1/domains', {
        token: server().admin,
        body: { content },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body.errors)).toMatch(/there is no function 'distrct'.*did you mean 'district'/)
    })

    it('come during set-up alone', () => {
      const late = defineFunction({ takes: [], gives: 'number', evaluate: () => 1 })
      expect(() => server().kernel.get(DomainsCapability).expressionFunction('late', late)).toThrow(
        /too late/,
      )
    })
  })
}
