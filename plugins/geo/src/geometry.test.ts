import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Geometry } from './geometries.ts'
import { InvalidGeometry, readGeometry } from './geometry.ts'

const messageOf = (value: unknown, srid = 4326): string => {
  try {
    readGeometry(value, srid)
  } catch (error) {
    if (error instanceof InvalidGeometry) return error.message
    throw error
  }
  return 'valid'
}

const SQUARE = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
]
const point = (...coordinates: unknown[]) => ({ type: 'Point', coordinates })
const collection = (...geometries: unknown[]) => ({ type: 'GeometryCollection', geometries })
const nested = (levels: number): unknown => (levels === 0 ? point(0, 0) : collection(nested(levels - 1)))

describe('reading geometries', () => {
  it.each([
    [point(0, 0)],
    [point(-180, 90)],
    [point(1, 2, 1e300)],
    [{ type: 'MultiPoint', coordinates: [[0, 0]] }],
    [
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [0, 0],
        ],
      },
    ],
    [
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [0, 0],
            [1, 1],
          ],
        ],
      },
    ],
    [{ type: 'Polygon', coordinates: [SQUARE, SQUARE] }],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [2, 2],
            [2, 0],
            [0, 2],
            [0, 0],
          ],
        ],
      },
    ],
    [{ type: 'MultiPolygon', coordinates: [[SQUARE]] }],
    [nested(4)],
  ])('takes %j as it is', (value) => {
    for (const sent of [value, JSON.stringify(value)])
      expect(readGeometry(sent, 4326)).toEqual({ geometry: value, dropped: new Set() })
  })

  it.each([
    ['x', /no JSON/],
    ['"Point"', /an object/],
    ['[]', /an object/],
    [5, /an object/],
    [{}, /type among/],
    [{ type: 'point', coordinates: [0, 0] }, /type among/],
    [{ type: '__proto__', coordinates: [0, 0] }, /type among/],
    [{ type: ['Point'], coordinates: [0, 0] }, /type among/],
    [{ type: 'Feature', geometry: point(0, 0) }, /is a Feature/],
    [{ type: 'FeatureCollection', features: [] }, /is a FeatureCollection/],
    [{ type: 'Point' }, /two or three/],
    [point(), /two or three/],
    [point(1), /two or three/],
    [point(1, 2, 3, 4), /two or three/],
    [point('1', '2'), /two or three/],
    [point(null, 2), /two or three/],
    [point([1, 2]), /two or three/],
    ['{"type":"Point","coordinates":[1e999,0]}', /two or three/],
    [point(NaN, 0), /two or three/],
    [point(180.1, 0), /off the earth/],
    [point(0, -90.1), /off the earth/],
    [{ type: 'MultiPoint', coordinates: [] }, /empty MultiPoint/],
    [{ type: 'LineString', coordinates: [[0, 0]] }, /fewer than 2/],
    [{ type: 'LineString', coordinates: {} }, /no list/],
    [
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1, 1],
        ],
      },
      /beside some of three/,
    ],
    [{ type: 'Polygon', coordinates: [] }, /empty Polygon/],
    [{ type: 'Polygon', coordinates: [[]] }, /fewer than 4/],
    [{ type: 'Polygon', coordinates: [SQUARE.slice(0, 3)] }, /fewer than 4/],
    [{ type: 'Polygon', coordinates: [[...SQUARE.slice(0, 3), [0, 0.1]]] }, /end where it began/],
    [{ type: 'Polygon', coordinates: SQUARE }, /fewer than 4/],
    [collection(), /must have geometries/],
    [{ type: 'GeometryCollection', coordinates: [0, 0] }, /must have geometries/],
    [collection(point(0, 0), point(0, 0, 0)), /beside some of three/],
    [collection(null), /an object/],
    [nested(5), /more than 4 deep/],
    [`${'[['.repeat(5000)}${']]'.repeat(5000)}`, /an object/],
    [`{"type":"Polygon","coordinates":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, /two or three|fewer/],
    [{ type: 'MultiPoint', coordinates: Array.from({ length: 100_001 }, () => [0, 0]) }, /more than 100000/],
  ])('refuses %.60j', (value, message) => {
    expect(messageOf(value)).toMatch(message)
  })

  it('takes any finite numbers in another coordinate system', () => {
    expect(messageOf(point(500_000, 5_800_000), 25_832)).toBe('valid')
  })

  it('leaves out other members, in collections too', () => {
    const sent = collection({ ...point(0, 0), bbox: [0, 0, 0, 0], coords: 1 })
    const { geometry, dropped } = readGeometry({ ...sent, crs: {}, coordinates: [1] }, 4326)
    expect([geometry, [...dropped]]).toEqual([
      collection(point(0, 0)),
      ['coordinates', 'crs', 'bbox', 'coords'],
    ])
  })

  it('reads what it has read as the same, whatever the geometry', () => {
    fc.assert(
      fc.property(geometries, (geometry) => {
        const read = readGeometry(JSON.stringify(geometry), 4326)
        expect(read.geometry).toEqual(JSON.parse(JSON.stringify(geometry)))
        expect(readGeometry(read.geometry, 4326)).toEqual(read)
      }),
    )
  })

  it('answers anything with a geometry or a reason', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => void messageOf(value)))
  })
})

const position = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
)
const line = fc.array(position, { minLength: 2, maxLength: 5 })
const ring = fc.array(position, { minLength: 3, maxLength: 5 }).map((some) => [...some, some[0]!])
const polygon = fc.array(ring, { minLength: 1, maxLength: 2 })
const some = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: 1, maxLength: 3 })
const simple: fc.Arbitrary<Geometry> = fc.oneof(
  position.map((coordinates) => ({ type: 'Point' as const, coordinates })),
  line.map((coordinates) => ({ type: 'LineString' as const, coordinates })),
  polygon.map((coordinates) => ({ type: 'Polygon' as const, coordinates })),
  some(position).map((coordinates) => ({ type: 'MultiPoint' as const, coordinates })),
  some(line).map((coordinates) => ({ type: 'MultiLineString' as const, coordinates })),
  some(polygon).map((coordinates) => ({ type: 'MultiPolygon' as const, coordinates })),
)
const geometries: fc.Arbitrary<Geometry> = fc.oneof(
  simple,
  some(simple).map((all) => ({ type: 'GeometryCollection' as const, geometries: all })),
)
