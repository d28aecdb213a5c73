import type { Plugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const SPOT = new URL('../../fixtures/third-party-plugin/spot.js', import.meta.url).href
const { plugin }: { readonly plugin: Plugin } = await import(SPOT)

const tracks = (object: string, version = '1') => `
domain:
  name: tracks
  version: '${version}'
  resources:
    Hut:
      features: { softDelete: true, audit: true, versioning: true, export: true, import: true }
      object:
        name: { type: string, unique: true }
        deletedAt: datetime
        ${object}
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const HUTS = '/api/v1/tracks/huts'

const ALPS = { name: 'Alps', place: { lat: 46.5, lon: 10 } }
const OSLO = { name: 'Oslo', place: { lat: 59.9, lon: 10.7 } }
const LIMA = { name: 'Lima', place: { lat: -12, lon: -77 } }
const NOWHERE = { name: 'Nowhere', place: null }
const NORTH = '-180,0,180,90'

for (const store of STORES) {
  describe(`a field type from outside on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin], definition: tracks('place: spot') })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const found = async (query: string, path = HUTS): Promise<readonly string[]> => {
      const { status, body } = await send('GET', `${path}?${query}`)
      expect([status, body.error_message]).toEqual([200, undefined])
      return body.data.items.map(({ name }: { name: string }) => name).toSorted()
    }
    const inBox = (box: string, field = 'place') => found(`filter[${field}][bbox]=${box}`)
    const idOf = async (name: string): Promise<string> => {
      const { body } = await send('GET', `${HUTS}?filter[name]=${name}`)
      return body.data.items[0].id
    }
    /** Names and kinds of the columns that the table has besides those of fields. */
    const columns = async () => {
      const { tables } = await server().kernel.get(StoreCapability).catalog()
      return tables.find(({ name }) => name === 'tracks_hut')!
    }

    beforeAll(async () => {
      for (const hut of [ALPS, OSLO]) expect((await send('POST', HUTS, hut)).status).toBe(201)
      const { body } = await send('POST', `${HUTS}/bulk`, { items: [LIMA, NOWHERE] })
      expect(body.data).toMatchObject({ created: 2, failed: 0 })
    })

    it('brings an operator, by which lists, counts and exports filter', async () => {
      expect(await inBox(NORTH)).toEqual(['Alps', 'Oslo'])
      expect(await inBox('10,46.5,10,46.5')).toEqual(['Alps'])
      expect((await send('GET', `${HUTS}/count?filter[place][bbox]=${NORTH}`)).body.data.total).toBe(2)
      const { body: csv } = await send('GET', `${HUTS}/export?filter[place][bbox]=${NORTH}`)
      expect([String(csv).includes('Alps'), String(csv).includes('Lima')]).toEqual([true, false])
    })

    it('[4.2] refuses what the operator cannot read, and operators that the type has not', async () => {
      const refused = async (query: string) => {
        const { status, body } = await send('GET', `${HUTS}?${query}`)
        return [status, body.error_code, body.error_message]
      }
      expect(await refused('filter[place][bbox]=1,2,3')).toEqual([
        400,
        'INVALID_QUERY',
        "'filter[place][bbox]' takes west,south,east,north",
      ])
      expect(await refused('filter[place][bbx]=1,2,3,4')).toEqual([
        400,
        'INVALID_QUERY',
        "'filter[place][bbx]': there is no operator 'bbx' for a spot (did you mean 'bbox'?)",
      ])
      expect(await refused('filter[place][eq]=1')).toEqual([
        400,
        'INVALID_QUERY',
        "'filter[place][eq]': a spot cannot be compared with 'eq'; use one of null, bbox",
      ])
      expect((await refused('filter[name][bbox]=1,2,3,4'))[0]).toBe(400)
      expect((await refused('filter[name][constructor]=1'))[0]).toBe(400)
    })

    it('keeps what it derives beside the value, with an index, where nobody sees it', async () => {
      const table = await columns()
      expect(table.columns.map(({ name }) => name)).toContain('$place$lon')
      expect(table.indexes.map((index) => index.columns)).toContainEqual(['$place$lon', 'id'])
      const id = await idOf('Alps')
      const answers = await Promise.all(
        ['', '/audit', '/versions'].map((below) => send('GET', `${HUTS}/${id}${below}`)),
      )
      for (const { status, body } of answers) {
        expect(status).toBe(200)
        expect(JSON.stringify(body)).not.toContain('$place')
      }
      expect((await send('GET', `${HUTS}?filter[$place$lon]=10`)).body.warnings[0].rule).toBe('ignored')
    })

    it('renews what it derives with every write', async () => {
      const id = await idOf('Oslo')
      const south = { lat: -40, lon: 10.7 }
      await send('PATCH', `${HUTS}/${id}`, { place: south })
      expect(await inBox(NORTH)).toEqual(['Alps'])
      await send('PATCH', `${HUTS}/bulk`, { ids: [id], data: { place: OSLO.place } })
      expect(await inBox(NORTH)).toEqual(['Alps', 'Oslo'])
      await send('PUT', `${HUTS}/${id}`, { name: 'Oslo' })
      expect(await inBox(NORTH)).toEqual(['Alps'])
      const { body } = await send('GET', `${HUTS}/${id}/versions`)
      const [latest] = body.data.items
      expect((await send('POST', `${HUTS}/${id}/revert`, { version: latest.version })).status).toBe(200)
      expect(await inBox(NORTH)).toEqual(['Alps', 'Oslo'])
      const items = [{ id, name: 'Oslo', place: LIMA.place }]
      await send('POST', `${HUTS}/bulk`, { items, upsert: true })
      expect(await inBox(NORTH)).toEqual(['Alps'])
      await send('PATCH', `${HUTS}/${id}`, { place: OSLO.place })
      expect((await send('DELETE', `${HUTS}/${id}`)).status).toBe(204)
      expect(await inBox(NORTH)).toEqual(['Alps'])
      expect((await send('POST', `${HUTS}/${id}/restore`)).status).toBe(200)
      expect(await inBox(NORTH)).toEqual(['Alps', 'Oslo'])
    })

    it('is told in documents with its operator', async () => {
      const { body } = await send('GET', '/api/v1/domains/tracks/openapi.json')
      const filters = Object.values(body.components.parameters).filter(({ name }: any) =>
        String(name).startsWith('filter[place]'),
      )
      expect(filters.map(({ name }: any) => name)).toEqual(['filter[place][null]', 'filter[place][bbox]'])
      expect(filters[1]).toMatchObject({
        description: 'Lies in this box: west,south,east,north',
        schema: { type: 'string' },
      })
    })

    it('moves what it derives with the field, without asking for permission to lose it', async () => {
      await server().submit(tracks('spot: { type: spot, renamedFrom: place }', '2'))
      expect(await inBox(NORTH, 'spot')).toEqual(['Alps', 'Oslo'])
      await server().submit(tracks('spot: json', '3'), { allow_destructive: true })
      expect((await columns()).columns.map(({ name }) => name).filter((name) => name.includes('$'))).toEqual([
        '$version',
      ])
      expect((await send('GET', `${HUTS}?filter[spot][bbox]=${NORTH}`)).status).toBe(400)
      await server().submit(tracks('spot: spot', '4'), { allow_destructive: true })
      expect(await inBox(NORTH, 'spot')).toEqual(['Alps', 'Oslo'])
      const defaulted =
        'spot: spot\n        other: { type: spot, required: true, default: { lat: 1, lon: 1 } }'
      await server().submit(tracks(defaulted, '5'))
      expect(await inBox('1,1,1,1', 'other')).toHaveLength(4)
      const back = await send('POST', '/api/v1/domains/tracks/rollback', { target_version: '3' })
      expect([back.status, back.body.error_message]).toEqual([200, undefined])
      expect((await send('GET', `${HUTS}?filter[spot][bbox]=${NORTH}`)).status).toBe(400)
      const again = await send('POST', '/api/v1/domains/tracks/rollback', { target_version: '2' })
      expect([again.status, again.body.error_message]).toEqual([200, undefined])
      expect(await inBox(NORTH, 'spot')).toEqual(['Alps', 'Oslo'])
    })
  })
}
