import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { HttpServerCapability } from '@svc/rest/contract'
import { StoreCapability } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { SPATIAL_STORES } from '../../kit/spatial-stores.ts'
import { type SecondServer, startSecond } from '../../kit/second-server.ts'
import { startTestKernel, useTestKernel } from '../../kit/test-kernel.ts'

const atlas = (version = '1', more = '') => `
domain:
  name: atlas
  version: '${version}'
  resources:
    Country:
      object: { name: string }
      relationships: { spots: { type: hasMany, target: Spot, foreignKey: countryId } }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
    Spot:
      features: { export: true }
      object:
        name: string
        place: geometry
        plan: { type: geojson, srid: 25832 }
        secret: geometry
        ${more}
      relationships: { country: { type: belongsTo, target: Country, foreignKey: countryId } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'], fields: { secret: { read: [keeper] } } }
    Word:
      object: { text: string }
      permissions: { list: ['*'], create: ['*'] }
`
const SPOTS = '/api/v1/atlas/spots'

const point = (...coordinates: number[]) => ({ type: 'Point', coordinates })
const line = (...coordinates: number[][]) => ({ type: 'LineString', coordinates })
const polygon = (...coordinates: number[][][]) => ({ type: 'Polygon', coordinates })
const box = (west: number, south: number, east: number, north: number) =>
  polygon([
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ])
/** Two triangles that meet at 5, 5. */
const BOW_TIE = polygon([
  [0, 0],
  [10, 10],
  [10, 0],
  [0, 10],
  [0, 0],
])
/** Its pentagon in the middle is outside. */
const STAR = polygon([
  [0, 10],
  [6, -8],
  [-9.5, 3],
  [9.5, 3],
  [-6, -8],
  [0, 10],
])
const collection = (...geometries: object[]) => ({ type: 'GeometryCollection', geometries })

const NO_BOXES = [
  '',
  '1',
  '1,2,3',
  '1,2,3,4,5',
  'a,b,c,d',
  '1,2,3,',
  ' , , , ',
  'NaN,0,1,1',
  'Infinity,0,1,1',
  '0x1,0,1,1',
  '0,1,1,0',
  '-181,0,1,1',
  '0,-91,1,1',
  '0,0,1,90.1',
  '1e999,0,1,1',
  '0,0,1,1;drop table',
  `${'1'.repeat(10_000)},0,1,1`,
]
/** A star of 201 points whose lines cross each other everywhere. */
const TANGLE = Array.from({ length: 202 }, (_, at): [number, number] => {
  const angle = (2 * Math.PI * ((at * 100) % 201)) / 201
  return [Number(Math.cos(angle).toFixed(5)), Number(Math.sin(angle).toFixed(5))]
})

const NO_AREAS = [
  JSON.stringify(polygon(TANGLE)),
  '',
  'x',
  '{}',
  '[]',
  'null',
  '5',
  '{"type":"Feature","geometry":null}',
  '{"type":"Point","coordinates":[1]}',
  '{"type":"Point","coordinates":[181,0]}',
  '{"type":"Point","coordinates":[NaN,0]}',
  '0,0,1,1',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `{"type":"Polygon","coordinates":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  JSON.stringify(
    polygon([
      [0, 0],
      [1, 1],
      [0, 1],
      [0, 2],
    ]),
  ),
]

for (const store of SPATIAL_STORES) {
  describe(`spatial filters on ${store.name}`, () => {
    const server = useTestKernel({ store, config: store.config, definition: atlas() })
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const query = (field: string, filters: Readonly<Record<string, unknown>>) =>
      Object.entries(filters)
        .map(([name, value]) => {
          const text = typeof value === 'string' ? value : JSON.stringify(value)
          return `filter[${field}][${name}]=${encodeURIComponent(text)}`
        })
        .join('&')
    const named = async (asked: string, path = SPOTS) => {
      const { status, body } = await send('GET', `${path}?${asked}&limit=200`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body.data.items.map(({ name }: any) => name).toSorted()
    }
    const found = (filters: Readonly<Record<string, unknown>>, field = 'place') =>
      named(query(field, filters))
    const refused = async (asked: string, path = SPOTS) => {
      const { status, body } = await send('GET', `${path}?${asked}`)
      return [status, body.error_code]
    }
    const REFUSED = [400, 'INVALID_QUERY']
    const NOWHERE = { name: 'nowhere' }
    let country = ''

    beforeAll(async () => {
      const { body } = await send('POST', '/api/v1/atlas/countries', { name: 'Utopia' })
      country = body.data.id
      const spots = [
        NOWHERE,
        { name: 'origin', place: point(0, 0), countryId: country },
        { name: 'high', place: point(0, 0, 900) },
        { name: 'square', place: box(20, 20, 30, 30), countryId: country },
        { name: 'road', place: line([40, 0], [50, 0]) },
        { name: 'tie', place: BOW_TIE },
        { name: 'date line', place: point(180, 70) },
        { name: 'fiji', place: point(-179, -18) },
        { name: 'two', place: collection(point(60, 60), box(62, 60, 63, 61)) },
        { name: 'halves', place: collection(box(70, 0, 71, 2), box(71, 0, 72, 2)) },
        { name: 'berlin', plan: point(390_000, 5_819_000) },
      ]
      for (const spot of spots) expect((await send('POST', SPOTS, spot)).status).toBe(201)
    })

    it('C4.4: answer 400 to what is no box', async () => {
      for (const text of NO_BOXES)
        expect([text, ...(await refused(query('place', { bbox: text })))]).toEqual([text, ...REFUSED])
    })

    it('C4.5: answer 400 to what is no geometry', async () => {
      for (const text of NO_AREAS)
        for (const name of ['intersects', 'within'])
          expect([text, ...(await refused(query('place', { [name]: text })))]).toEqual([text, ...REFUSED])
    })

    it('C4.4: find what shares a point with a box, its edge included', async () => {
      expect(await found({ bbox: '-1,-1,1,1' })).toEqual(['high', 'origin', 'tie'])
      expect(await found({ bbox: '30,30,35,35' })).toEqual(['square'])
      expect(await found({ bbox: '30.0000001,30,35,35' })).toEqual([])
      expect(await found({ bbox: ' 25 , 2.5e1 ,+26,26 ' })).toEqual(['square'])
      expect(await found({ bbox: '0,4,1,6' })).toEqual(['tie'])
      expect(await found({ bbox: '4,1,6,2' })).toEqual([])
      expect(await found({ bbox: '-180,-90,180,90' })).toHaveLength(9)
    })

    it('C4.4: take a box without width or height as a line or a point', async () => {
      expect(await found({ bbox: '0,0,0,0' })).toEqual(['high', 'origin', 'tie'])
      expect(await found({ bbox: '45,-1,45,1' })).toEqual(['road'])
      expect(await found({ bbox: '25,25,25,25' })).toEqual(['square'])
      expect(await found({ bbox: '45,1,45,2' })).toEqual([])
    })

    it('C4.4: cross the antimeridian, on the earth alone', async () => {
      expect(await found({ bbox: '179,-20,-178,80' })).toEqual(['date line', 'fiji'])
      expect(await found({ bbox: '179.5,60,-179.5,80' })).toEqual(['date line'])
      expect(await refused(query('plan', { bbox: '2,0,1,1' }))).toEqual(REFUSED)
      expect(await found({ bbox: '380000,5000000,400000,6000000' }, 'plan')).toEqual(['berlin'])
    })

    it('C4.5: find what shares a point with a geometry, and what lies inside of it', async () => {
      expect(await found({ intersects: box(20, 20, 20.5, 20.5) })).toEqual(['square'])
      expect(await found({ intersects: point(20, 25) })).toEqual(['square'])
      expect(await found({ intersects: point(20, 25, 7) })).toEqual(['square'])
      expect(await found({ within: box(20, 20, 30, 30) })).toEqual(['square'])
      expect(await found({ within: box(20, 20, 30, 29.9) })).toEqual([])
      expect(await found({ within: box(0, 0, 1, 1) })).toEqual([])
      expect(await found({ within: box(-1, -1, 1, 1) })).toEqual(['high', 'origin'])
      expect(await found({ within: point(0, 0) })).toEqual(['high', 'origin'])
      expect(await found({ within: line([39, 0], [51, 0]) })).toEqual(['road'])
      expect(
        await found({ within: polygon(...box(-5, -5, 5, 5).coordinates, ...box(-1, -1, 1, 1).coordinates) }),
      ).toEqual([])
      expect(await found({ intersects: JSON.stringify({ ...point(0, 0), bbox: [1], crs: {} }) })).toEqual([
        'high',
        'origin',
        'tie',
      ])
    })

    it('C4.5: take an area that crosses itself as the one that it makes when it is made valid', async () => {
      expect(await found({ intersects: point(5, 1) })).toEqual([])
      expect(await found({ intersects: point(1, 5) })).toEqual(['tie'])
      expect(await found({ within: BOW_TIE })).toEqual(['tie'])
      expect(await found({ within: STAR })).toEqual([])
      expect(await found({ intersects: STAR })).toEqual(['tie'])
    })

    it('C4.5: take what is in a collection together', async () => {
      expect(
        await found({
          within: collection(point(0, 0), line([39, 0], [51, 0]), box(69, -1, 71, 3), box(71, -1, 73, 3)),
        }),
      ).toEqual(['halves', 'high', 'origin', 'road'])
      expect(await found({ within: box(59, 59, 64, 64) })).toEqual(['two'])
      expect(await found({ within: box(61, 59, 64, 64) })).toEqual([])
      expect(await found({ within: box(70, 0, 72, 2) })).toEqual(['halves'])
      expect(await found({ intersects: collection(point(60, 60), point(1, 5)) })).toEqual(['tie', 'two'])
      expect(await found({ within: collection(collection(collection(box(59, 59, 64, 64)))) })).toEqual([
        'two',
      ])
    })

    it('C4.6: hold in lists, counts, distinct values, exports and nested lists, all of them at once', async () => {
      const near = query('place', { bbox: '-1,-1,1,1', within: box(-2, -2, 2, 2) })
      expect(await named(near)).toEqual(['high', 'origin'])
      expect((await send('GET', `${SPOTS}/count?${near}`)).body.data.total).toBe(2)
      expect((await send('GET', `${SPOTS}/distinct/name?${near}`)).body.data.values).toEqual([
        'high',
        'origin',
      ])
      const { body: csv } = await send('GET', `${SPOTS}/export?${near}&fields=name`)
      expect(String(csv).match(/high|origin|tie/g)).toEqual(['origin', 'high'])
      expect(await named(near, `/api/v1/atlas/countries/${country}/spots`)).toEqual(['origin'])
      expect(await named(`${near}&${query('name', { ne: 'high' })}`)).toEqual(['origin'])
      expect(await named(query('spots.place', { bbox: '25,25,26,26' }), '/api/v1/atlas/countries')).toEqual([
        'Utopia',
      ])
      expect(await named(query('spots.place', { bbox: '1,50,2,51' }), '/api/v1/atlas/countries')).toEqual([])
    })

    it('C4.6: are ignored with a warning on fields that are not there for the caller, and refused on others', async () => {
      const { token } = await server().account('reader', ['reader'])
      for (const field of ['secret', 'nothing']) {
        const { status, body } = await send(
          'GET',
          `${SPOTS}?${query(field, { bbox: '0,0,1,1' })}`,
          undefined,
          token,
        )
        expect([status, body.warnings?.[0]?.rule]).toEqual([200, 'ignored'])
        expect(body.data.items).toHaveLength(11)
      }
      for (const operator of ['bbox', 'intersects', 'within'])
        expect(await refused(query('name', { [operator]: '0,0,1,1' }))).toEqual(REFUSED)
      expect(await refused(query('place', { nearby: '1' }))).toEqual(REFUSED)
    })

    it('C4.7: have an index, and the same answers from a field that has none', async () => {
      const { kernel } = server()
      const indexed = async () => {
        const { tables } = await kernel.get(StoreCapability).catalog()
        return tables
          .find(({ name }) => name === 'atlas_spot')!
          .indexes.map(({ name }) => name)
          .filter((name) => name.includes('geom'))
      }
      expect(await indexed()).toHaveLength(3)
      await server().submit(atlas('2', 'later: geometry'))
      const areas = [BOW_TIE, box(1, 1, 3, 3), point(2, 2), collection(point(2, 2))]
      for (const [at, later] of areas.entries())
        expect((await send('POST', SPOTS, { name: `later ${at}`, later })).status).toBe(201)
      expect(await found({ bbox: '2,2,2,2' }, 'later')).toEqual(['later 0', 'later 1', 'later 2', 'later 3'])
      expect(await found({ within: box(0, 0, 4, 4) }, 'later')).toEqual(['later 1', 'later 2', 'later 3'])
      expect(await found({ within: BOW_TIE }, 'later')).toEqual(['later 0'])
      expect(await found({ bbox: '-1,-1,1,1' })).toEqual(['high', 'origin', 'tie'])
    })

    it('C4.8: simplify what lists, nested lists and exports answer, and keep what is stored', async () => {
      const wave = line(
        ...Array.from({ length: 101 }, (_, at) => [100 + at / 10, at % 2 === 0 ? 0.1 : 0.1000001]),
      )
      const square = box(80, 0, 80.3, 0.30000000000000004)
      for (const place of [wave, square])
        expect((await send('POST', SPOTS, { name: 'drawn', place, countryId: country })).status).toBe(201)
      const drawn = `filter[name]=drawn&sort=createdAt&fields=place`
      const places = async (asked: string, path = SPOTS) =>
        (await send('GET', `${path}?${drawn}${asked}`)).body.data.items.map(({ place }: any) => place)
      const ends = line([100, 0.1], [110, 0.1])
      expect(await places('')).toEqual([wave, square])
      expect(await places('&simplify=0')).toEqual([wave, square])
      expect(await places('&simplify=0.001')).toEqual([ends, square])
      expect(await places('&simplify=1e-3', `/api/v1/atlas/countries/${country}/spots`)).toEqual([
        ends,
        square,
      ])
      const [, far] = await places('&simplify=100')
      expect(far.coordinates[0].length).toBeGreaterThanOrEqual(4)
      for (const position of far.coordinates[0]) expect(square.coordinates[0]).toContainEqual(position)
      const { body: csv } = await send('GET', `${SPOTS}/export?${drawn}&simplify=0.001`)
      expect(String(csv)).toContain('[[100,0.1],[110,0.1]]')
      const { body } = await send('GET', `${SPOTS}?filter[name]=nowhere&simplify=1`)
      expect(body.data.items[0].place).toBe(null)
    })

    it('C4.8: answer 400 to what is no tolerance, and where no field is a geometry', async () => {
      for (const text of ['', 'x', '-1', '-0.1', 'NaN', 'Infinity', '1e999', '1,2', '0x1', '1 2'])
        for (const path of [SPOTS, `${SPOTS}/export`, `/api/v1/atlas/countries/${country}/spots`])
          expect([text, path, ...(await refused(`simplify=${encodeURIComponent(text)}`, path))]).toEqual([
            text,
            path,
            ...REFUSED,
          ])
      expect(await refused('simplify=1', '/api/v1/atlas/words')).toEqual(REFUSED)
    })

    it('C4.9: find geometries that are changed, moved, deleted and written many at once', async () => {
      const { body } = await send('POST', SPOTS, { name: 'mover', place: point(-100, 10) })
      const at = `${SPOTS}/${body.data.id}`
      expect(await found({ bbox: '-101,9,-99,11' })).toEqual(['mover'])
      await send('PATCH', at, { place: point(-110, 10) })
      expect([await found({ bbox: '-101,9,-99,11' }), await found({ bbox: '-110,10,-110,10' })]).toEqual([
        [],
        ['mover'],
      ])
      await send('PATCH', at, { place: null })
      expect(await found({ bbox: '-111,9,-99,11' })).toEqual([])
      await send('PATCH', at, { place: point(-100, 10) })
      await send('DELETE', at)
      expect(await found({ bbox: '-111,9,-99,11' })).toEqual([])
      const far = { name: 'far', plan: point(1e300, -1e308) }
      const near = { name: 'near', plan: point(-0.5, 1e12) }
      for (const spot of [far, near]) expect((await send('POST', SPOTS, spot)).status).toBe(201)
      expect(await found({ bbox: '-1e308,-1e308,1e308,1e308' }, 'plan')).toEqual(['berlin', 'near'])
      expect(await refused(query('plan', { within: box(-1e13, 0, 1, 1) }))).toEqual(REFUSED)
    })

    it('C4.7: follow a field that is renamed, becomes another, or gets the name of what stood beside one', async () => {
      const domain = (version: string, object: string) => `
domain:
  name: change
  version: '${version}'
  resources:
    Thing:
      object: { name: string, ${object} }
      permissions: { list: ['*'], create: ['*'] }
`
      const THINGS = '/api/v1/change/things'
      const near = (field: string) =>
        named(query(field, { bbox: '0,0,2,2', within: box(-1, -1, 3, 3) }), THINGS)
      await server().submit(domain('1', 'place: geometry, other: geometry'))
      expect((await send('POST', THINGS, { name: 'a', place: point(1, 1), other: point(1, 1) })).status).toBe(
        201,
      )
      expect([await near('place'), await near('other')]).toEqual([['a'], ['a']])
      await server().submit(
        domain('2', 'spot: { type: geometry, renamedFrom: place }, other: { type: geometry, srid: 25832 }'),
      )
      expect((await send('POST', THINGS, { name: 'b', spot: point(2, 2) })).status).toBe(201)
      expect([await near('spot'), await near('other')]).toEqual([['a', 'b'], ['a']])
      await server().submit(domain('3', 'spot: json, spot__geom: string, other: geometry, place: geometry'), {
        allow_destructive: true,
      })
      expect(
        (
          await send('POST', THINGS, {
            name: 'c',
            spot: { type: 'anything' },
            spot__geom: 'x',
            other: point(1, 1),
          })
        ).status,
      ).toBe(201)
      expect([await near('other'), await refused(query('spot', { bbox: '0,0,1,1' }), THINGS)]).toEqual([
        ['a', 'c'],
        REFUSED,
      ])
    })

    it('C4.7: keep their index, and what it stands on, through another name, another srid, another resource, and back', async () => {
      const domain = (version: string, object: string, thing = 'Thing') => `
domain:
  name: moves
  version: '${version}'
  resources:
    ${thing}:
      ${thing === 'Thing' ? '' : 'renamedFrom: Thing'}
      object: { name: string, ${object} }
      permissions: { list: ['*'], create: ['*'] }
`
      const things = (path: string) => `/api/v1/moves/${path}`
      const near = async (field: string, path = 'things') => {
        const answer = await named(query(field, { bbox: '0,0,2,2', within: box(-1, -1, 3, 3) }), things(path))
        return answer
      }
      const indexed = async (table = 'moves_thing') => {
        const { tables } = await server().kernel.get(StoreCapability).catalog()
        const { indexes } = tables.find(({ name }) => name === table)!
        return indexes.flatMap(({ name }) => /__(\w+)__geom__idx$/.exec(name)?.[1] ?? [])
      }
      await server().submit(domain('1', 'place: geometry, other: geometry'))
      const first = { name: 'a', place: point(1, 1), other: point(1, 1) }
      expect((await send('POST', things('things'), first)).status).toBe(201)
      const renamed = domain(
        '2',
        'spot: { type: geometry, renamedFrom: place }, other: { type: geometry, srid: 25832 }',
      )
      await server().submit(renamed)
      expect((await indexed()).toSorted()).toEqual(['other', 'spot'])
      expect([await near('spot'), await near('other')]).toEqual([['a'], ['a']])
      const second = { name: 'b', spot: point(2, 2), other: point(2, 2) }
      expect((await send('POST', things('things'), second)).status).toBe(201)
      expect([await near('spot'), await near('other')]).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ])
      // What was beside a field makes room for a field of that name.
      const beside = 'spot: geometry, other: { type: geometry, srid: 25832 }, spot__geom: string'
      await server().submit(domain('3', beside))
      expect(await near('spot')).toEqual(['a', 'b'])
      expect((await send('POST', '/api/v1/domains/moves/rollback', {})).status).toBe(200)
      await server().submit(domain('4', 'spot: geometry, other: { type: geometry, srid: 25832 }', 'Item'))
      expect(await indexed('moves_item')).toContain('other')
      expect(await near('other', 'items')).toEqual(['a', 'b'])
      expect((await send('POST', '/api/v1/domains/moves/rollback', {})).status).toBe(200)
      expect((await send('POST', '/api/v1/domains/moves/rollback', {})).status).toBe(200)
      expect(await indexed()).toContain('other')
      expect([await near('place'), await near('other')]).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ])
    })

    it('C4.5: take megabytes in a query for what they are, and live on', async () => {
      const { port } = new URL(server().kernel.get(HttpServerCapability).url())
      const turning = (count: number) =>
        Array.from({ length: count }, (_, at): [number, number] => {
          const angle = (2 * Math.PI * (at % (count - 1))) / (count - 1)
          return [Number((50 * Math.cos(angle)).toFixed(9)), Number((50 * Math.sin(angle)).toFixed(9))]
        })
      // Inside of the process nothing bounds an address.
      for (const area of [
        polygon(turning(100_001)),
        '['.repeat(3_000_000),
        `{"type":"Polygon","coordinates":${'['.repeat(1_500_000)}${']'.repeat(1_500_000)}}`,
        `{"type":"Point","coordinates":[${'1'.repeat(3_000_000)},0]}`,
        ' '.repeat(3_000_000),
      ])
        expect(await refused(query('place', { within: area as object }))).toEqual(REFUSED)
      // Over a socket Node bounds it.
      const [response] = (await once(
        get({ port, path: `${SPOTS}?filter[place][within]=${'1'.repeat(2_000_000)}` }).on(
          'error',
          () => undefined,
        ),
        'response',
      )) as [IncomingMessage]
      response.resume()
      expect([414, 431]).toContain(response.statusCode)
      expect((await send('GET', SPOTS)).status).toBe(200)
    })

    it('C4.1: say in the schema and in documents that they work', async () => {
      const { body } = await send('GET', '/api/v1/domains/atlas/schema')
      expect(body.data.resources.Spot.fields.place).toMatchObject({
        geometryType: 'any',
        srid: 4326,
        spatial: true,
      })
      const { body: document } = await send('GET', '/api/v1/domains/atlas/openapi.json')
      expect(Object.keys(document.components.parameters)).toContain('Spot.filter.place.bbox')
    })

    it('[Geometry fields] never show what stands beside them', async () => {
      const { body } = await send('GET', `${SPOTS}?limit=1`)
      expect(Object.keys(body.data.items[0]).filter((name) => name.includes('geom'))).toEqual([])
    })
  })
}

describe('C4.9: the embedded store', () => {
  it('indexes what it holds already when it starts with geo.embedded, and answers the same until then', async () => {
    const first = await startTestKernel({ store: SPATIAL_STORES[0]!, definition: atlas() })
    const { admin: token } = first
    type Server = Pick<SecondServer, 'kernel' | 'request'>
    const near = async ({ request }: Server) => {
      const { status, body } = await request('GET', `${SPOTS}?filter[place][bbox]=0,0,1,1&sort=name`, {
        token,
      })
      return status === 200 ? body.data.items.map(({ name }: { name: string }) => name) : status
    }
    const indexes = async ({ kernel }: Server) => {
      const { tables } = await kernel.get(StoreCapability).catalog()
      const { indexes: all = [] } = tables.find(({ name }) => name === 'atlas_spot') ?? {}
      return all.filter(({ name }) => name.includes('geom')).length
    }
    const add = async ({ request }: Server, name: string, place: object) =>
      expect((await request('POST', SPOTS, { token, body: { name, place } })).status).toBe(201)
    const started = (embedded: boolean) => startSecond(first.database, first.clock, [], { geo: { embedded } })
    try {
      for (let at = 0; at < 120; at += 1) await add(first, `far ${at}`, point(at, 50))
      await add(first, 'in', point(0.5, 0.5))
      expect([await near(first), await indexes(first)]).toEqual([400, 0])
      const able = await started(true)
      expect(await near(able)).toEqual(['in'])
      await expect.poll(() => indexes(able)).toBe(3)
      expect(await near(able)).toEqual(['in'])
      await able.stop()
      // A server that does not compare geometries keeps the index all the same.
      await add(first, 'late', point(1, 1))
      expect(await near(first)).toBe(400)
      const again = await started(true)
      await expect.poll(() => near(again)).toEqual(['in', 'late'])
      await again.stop()
    } finally {
      await first.stop()
    }
  })
})
