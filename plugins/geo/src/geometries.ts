/** The kinds of geometries of RFC 7946 and how deep their coordinates are: a position is 0 deep. */
export const DEPTHS = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
} as const

export type GeometryKind = keyof typeof DEPTHS | 'GeometryCollection'

export const GEOMETRY_KINDS: readonly GeometryKind[] = Object.freeze([
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
])

export type Position = readonly number[]
export type Coordinates = readonly (number | Coordinates)[]

/** A geometry with what it needs and nothing else. */
export type Geometry =
  | { readonly type: keyof typeof DEPTHS; readonly coordinates: Coordinates }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] }
