import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const places = (place = '{ type: geometry }', version = '1') => `
domain:
  name: places
  version: '${version}'
  resources:
    Place:
      features: { versioning: true, export: true, import: true }
      object:
        name: { type: string, unique: true }
        place: ${place}
        door: { type: geojson, geometryType: point }
        area: { type: geometry, geometryType: [polygon, MULTIPOLYGON], srid: 25832 }
        stops: { type: array, items: geometry }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const PLACES = '/api/v1/places/places'

const POINT = { type: 'Point', coordinates: [13.405, 52.52] }
const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [0, 10.1],
      [10.000000000000002, 10.1],
      [0, 0],
    ],
  ],
}

/** A star of 201 points whose lines cross each other everywhere. */
const TANGLE = Array.from({ length: 202 }, (_, at) => {
  const angle = (2 * Math.PI * ((at * 100) % 201)) / 201
  return [Math.cos(angle), Math.sin(angle)]
})

for (const store of STORES) {
  describe(`geometry fields on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: places() })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const create = (values: object) => send('POST', PLACES, values)
    const errorsOf = async (values: object) => {
      const { status, body } = await create(values)
      return [status, body.error_code, body.errors?.map(({ field, rule }: any) => [field, rule])]
    }
    const refused = async (query: string, path = PLACES) => {
      const { status, body } = await send('GET', `${path}?${query}`)
      return [status, body.error_code]
    }

    it('[Geometry fields] take the seven kinds as objects or as text, and answer objects', async () => {
      const line = [
        [0, 0],
        [1, 1],
      ]
      const kinds = [
        POINT,
        SQUARE,
        { type: 'LineString', coordinates: line },
        { type: 'MultiPoint', coordinates: line },
        { type: 'MultiLineString', coordinates: [line] },
        { type: 'MultiPolygon', coordinates: [SQUARE.coordinates] },
        { type: 'GeometryCollection', geometries: [POINT, SQUARE] },
      ]
      for (const place of kinds) {
        for (const sent of [place, JSON.stringify(place)]) {
          const { status, body } = await create({ place: sent })
          expect([status, body.data.place]).toEqual([201, place])
          const read = await send('GET', `${PLACES}/${body.data.id}`)
          expect(read.body.data.place).toEqual(place)
        }
      }
    })

    it('[C4.1] read geometryType in any case, as a kind or a list; the schema endpoint says it, srid and spatial', async () => {
      const { body } = await send('GET', '/api/v1/domains/places/schema')
      const { fields } = body.data.resources.Place
      const told = ({ type, geometryType, srid, spatial }: any) => [type, geometryType, srid, spatial]
      expect([fields.place, fields.door, fields.area].map(told)).toEqual([
        ['geometry', 'any', 4326, false],
        ['geometry', 'Point', 4326, false],
        ['geometry', ['Polygon', 'MultiPolygon'], 25832, false],
      ])
    })

    it.each([
      '{ type: geometry, geometryType: Pont }',
      '{ type: geometry, srid: 999000 }',
      '{ type: geometry, srid: 0 }',
    ])('[C4.1] refuse the definition %s with its line', async (field) => {
      const { status, body } = await send('POST', '/api/v1/domains', { content: places(field, '9') })
      expect([status, body.error_code, body.errors.length]).toEqual([422, 'PARSE_ERROR', 1])
      expect(body.errors[0]).toMatchObject({
        line: 10,
        path: expect.stringMatching(/place\.(?:geometryType|srid)$/),
      })
    })

    it.each([
      ['a Feature', { type: 'Feature', geometry: POINT, properties: {} }],
      ['text that is no JSON', 'POINT(1 2)'],
      ['a number', 5],
      ['a ring that crosses itself 20,000 times', { type: 'Polygon', coordinates: [TANGLE] }],
      ['an open ring', { type: 'Polygon', coordinates: [SQUARE.coordinates[0]!.slice(0, 3)] }],
      ['NaN as text', '{"type":"Point","coordinates":[NaN,0]}'],
      ['1e999 as text', '{"type":"Point","coordinates":[1e999,0]}'],
      ['nothing', { type: 'MultiPoint', coordinates: [] }],
      [
        'mixed positions',
        {
          type: 'MultiPoint',
          coordinates: [
            [0, 0],
            [0, 0, 0],
          ],
        },
      ],
      ['a place off the earth', { type: 'Point', coordinates: [52.52, 113.405] }],
      [
        '10,000 nestings',
        `${'{"type":"GeometryCollection","geometries":['.repeat(10_000)}${']}'.repeat(10_000)}`,
      ],
      [
        '100,001 positions',
        { type: 'MultiPoint', coordinates: Array.from({ length: 100_001 }, () => [0, 0]) },
      ],
    ])('[C4.2] refuse %s as invalid_geometry', async (_, place) => {
      expect(await errorsOf({ place })).toEqual([422, 'VALIDATION_ERROR', [['place', 'invalid_geometry']]])
    })

    it('[C4.2] take rings that cross themselves and that turn either way', async () => {
      const [ring] = SQUARE.coordinates
      const bow = [
        [0, 0],
        [2, 2],
        [2, 0],
        [0, 2],
        [0, 0],
      ]
      for (const coordinates of [[ring], [ring!.toReversed()], [bow]]) {
        const { status, body } = await create({ place: { type: 'Polygon', coordinates } })
        expect([status, body.data.place.coordinates]).toEqual([201, coordinates])
      }
    })

    it('[C4.2] leave out other members, with a warning', async () => {
      const { body } = await create({ place: { ...POINT, bbox: [0, 0, 1, 1], crs: { type: 'name' } } })
      expect(body.data.place).toEqual(POINT)
      expect(body.warnings).toEqual([
        {
          rule: 'geometry',
          message: "'place' was stored without what is no part of a geometry: bbox, crs",
          severity: 'warning',
          regulation: null,
        },
      ])
    })

    it('[C4.3] tell a valid value of another kind as geometry_type_mismatch, beside all other faults', async () => {
      expect(await errorsOf({ door: SQUARE, area: POINT, place: {}, stops: [POINT, 5] })).toEqual([
        422,
        'VALIDATION_ERROR',
        [
          ['door', 'geometry_type_mismatch'],
          ['area', 'geometry_type_mismatch'],
          ['place', 'invalid_geometry'],
          ['stops.1', 'invalid_geometry'],
        ],
      ])
    })

    it('[C4.3] are filtered by null, and a sort by them is ignored with a warning', async () => {
      await create({ name: 'door', door: POINT })
      const { body } = await send('GET', `${PLACES}?filter[door][null]=false&sort=door`)
      expect(body.data.items.map(({ name }: any) => name)).toEqual(['door'])
      expect(body.warnings).toMatchObject([{ rule: 'ignored' }])
    })

    it.each(['bbox', 'intersects', 'within'])(
      '[C4.7] answer 400 to the filter %s without a spatial store',
      async (operator) => {
        for (const field of ['place', 'name'])
          for (const path of [PLACES, `${PLACES}/count`])
            expect(await refused(`filter[${field}][${operator}]=0,0,1,1`, path)).toEqual([
              400,
              'INVALID_QUERY',
            ])
      },
    )

    it('[C4.8] answer 400 to simplify without a spatial store', async () => {
      for (const path of [PLACES, `${PLACES}/export`])
        expect(await refused('simplify=1', path)).toEqual([400, 'INVALID_QUERY'])
    })

    it('C4.7: say once in the answer and in the log what PostgreSQL lacks, and how it gets it', async () => {
      const isWanting = server().kernel.get(StoreCapability).wanting.has('spatial')
      expect(isWanting).toBe(store.name === 'postgres')
      const before = server().log.length
      const { body } = await send('POST', '/api/v1/domains', { content: places(undefined, '1.1') })
      const said = JSON.stringify(body).match(/create extension postgis;/g) ?? []
      expect(said).toHaveLength(isWanting ? 1 : 0)
      const logged = server()
        .log.slice(before)
        .filter((entry) => JSON.stringify(entry).includes('create extension postgis;'))
      expect(logged.map(({ level }) => level)).toEqual(isWanting ? ['warn'] : [])
      const { body: schema } = await send('GET', '/api/v1/domains/places/schema')
      expect(schema.data.resources.Place.fields.place).toMatchObject({ srid: 4326, spatial: false })
      const { body: document } = await send('GET', '/api/v1/domains/places/openapi.json')
      expect(Object.keys(document.components.parameters).filter((name) => name.includes('bbox'))).toEqual([])
    })

    it('[Geometry fields] follow a record through PUT, revert and revert', async () => {
      const { body: made } = await create({ name: 'a', place: POINT })
      await send('PUT', `${PLACES}/${made.data.id}`, { name: 'a', place: JSON.stringify(SQUARE) })
      const place = async () => (await send('GET', `${PLACES}/${made.data.id}`)).body.data.place
      expect(await place()).toEqual(SQUARE)
      expect((await send('POST', `${PLACES}/${made.data.id}/revert`, { version: 1 })).status).toBe(200)
      expect(await place()).toEqual(POINT)
    })

    it('[OpenAPI] are objects in documents', async () => {
      const { body } = await send('GET', '/api/v1/domains/places/openapi.json')
      expect(body.components.schemas.Place.properties.door).toMatchObject({
        type: ['object', 'null'],
        properties: { type: { enum: ['Point'] } },
      })
    })
  })
}
