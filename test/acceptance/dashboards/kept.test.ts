import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const BOARDS = {
  mails: 'type: table, query: { view: mails }',
  regions: 'type: table, query: { view: regions }',
  far: `type: counter, query: { source: House, filter: "street.city.region.name == 'North'" }`,
  events: 'type: timeline, query: { source: House }',
}

const DEFINITION = `
domain:
  name: kept
  version: '1'
  resources:
    Region:
      object: { name: string, userId: uuid }
      owner: userId
      permissions: { list: [owner, admin], get: [owner, admin], create: [admin] }
    City:
      object: { name: string }
      relationships: { region: { type: belongsTo, target: Region } }
      permissions: { list: [clerk], get: [clerk], create: [admin] }
    Street:
      object: { name: string }
      relationships: { city: { type: belongsTo, target: City } }
      permissions: { list: [clerk], get: [clerk], create: [admin] }
    House:
      object: { name: string, keeperId: uuid, ownerKey: uuid }
      owner: ownerKey
      relationships:
        street: { type: belongsTo, target: Street }
        keeper: { type: belongsTo, target: User, foreignKey: keeperId }
      history:
        events:
          bought: { on: create, label: 'Bought {name}', capture: [name], roles: [owner] }
          built: { on: create, label: 'Built {name}', capture: [name] }
      permissions: { list: [clerk], get: [clerk], create: [admin] }
  views:
    mails: { source: House, permissions: [clerk], columns: [name, { name: mail, computed: keeper.email }] }
    regions: { source: House, permissions: [clerk], columns: [name, { name: region, computed: street.city.region.name }] }
  dashboards:
${Object.entries(BOARDS)
  .map(
    ([name, widget]) => `    ${name}: { permissions: [clerk], refresh: 1m, widgets: { one: { ${widget} } } }`,
  )
  .join('\n')}
`

for (const store of STORES) {
  describe(`kept answers of dashboards on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const tokens = { anna: '', bert: '' }
    beforeAll(async () => {
      const { account, request, admin: token } = server()
      const anna = await account('anna', ['clerk'])
      tokens.anna = anna.token
      tokens.bert = (await account('bert', ['clerk'])).token
      const make = async (path: string, body: object): Promise<string> => {
        const { status, body: told } = await request('POST', `/api/v1/kept/${path}`, { token, body })
        expect(status, JSON.stringify(told)).toBe(201)
        return told.data.id
      }
      const regionId = await make('regions', { name: 'North', userId: anna.id })
      const cityId = await make('cities', { name: 'Town', regionId })
      const streetId = await make('streets', { name: 'Lane', cityId })
      await make('houses', { name: 'Mill', streetId, keeperId: anna.id, ownerKey: anna.id })
    })

    for (const name of Object.keys(BOARDS)) {
      it(`D6 '${name}' goes to nobody who would see something else`, async () => {
        const read = async (who: keyof typeof tokens) => {
          const path = `/api/v1/kept/dashboards/${name}`
          const { body } = await server().request('GET', path, { token: tokens[who] })
          return body.data.widgets.one
        }
        const annas = await read('anna')
        const berts = await read('bert')
        server().clock.advance(61_000)
        expect(await read('bert')).toEqual(berts)
        expect(await read('anna')).toEqual(annas)
        expect(berts).not.toEqual(annas)
      })
    }
  })
}
