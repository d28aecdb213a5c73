import type { Value } from '@svc/store/contract'
import type { Coordinates, Geometry, Position } from '../geometries.ts'
import { thinned } from './thin.ts'

/**
 * A stored geometry with fewer positions: none that is left out is farther from what stays than `tolerance`, in the units
 * of its coordinates. What was valid stays so, nothing collapses, and what stays is what is stored.
 */
export function simplify(value: Exclude<Value, null>, tolerance: number): Value {
  if (tolerance === 0 || !isGeometry(value)) return value
  return simplified(value, tolerance)
}

/** Values in stored form were checked when they were written. */
const isGeometry = (value: unknown): value is Geometry =>
  typeof value === 'object' && value !== null && 'type' in value

function simplified(geometry: Geometry, tolerance: number): Geometry {
  if (geometry.type === 'GeometryCollection')
    return { ...geometry, geometries: geometry.geometries.map((part) => simplified(part, tolerance)) }
  const { type, coordinates } = geometry
  const depth = LINE_DEPTH[type]
  if (depth === undefined) return geometry
  const lines = linesIn(coordinates, depth)
  const thin = thinned(lines, tolerance)
  return { type, coordinates: exchanged(coordinates, depth, thin[Symbol.iterator]()) }
}

/** How deep the lines of a kind stand in its coordinates; those of points hold none. */
const LINE_DEPTH: Readonly<Record<string, number>> = {
  LineString: 0,
  MultiLineString: 1,
  Polygon: 1,
  MultiPolygon: 2,
}

const linesIn = (coordinates: Coordinates, depth: number): readonly (readonly Position[])[] =>
  depth === 0
    ? [coordinates as readonly Position[]]
    : coordinates.flatMap((inner) => (typeof inner === 'number' ? [] : linesIn(inner, depth - 1)))

/** The coordinates with other lines, in the order of `linesIn`. */
const exchanged = (
  coordinates: Coordinates,
  depth: number,
  lines: Iterator<readonly Position[]>,
): Coordinates =>
  depth === 0
    ? (lines.next().value as readonly Position[])
    : coordinates.map((inner) => (typeof inner === 'number' ? inner : exchanged(inner, depth - 1, lines)))
