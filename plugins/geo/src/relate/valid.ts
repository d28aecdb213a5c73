import type { Geometry, Position } from '../geometries.ts'
import { noded } from './noded.ts'
import {
  type Area,
  difference,
  facesOf,
  isArea,
  isValid,
  line,
  point,
  polygon,
  type Shape,
  shellOf,
  symDifference,
  together,
  union,
} from './jts.ts'

/**
 * A geometry as it is compared: in two dimensions, valid as `ST_MakeValid` of PostGIS has it by the method of lines, and
 * with the areas of a collection that lie over or beside each other as one.
 */
export function validShape(geometry: Geometry): Shape {
  const parts = partsOf(geometry)
  if (geometry.type !== 'GeometryCollection') return together(parts)
  const areas = parts.filter(isArea)
  const others = parts.filter((part) => !isArea(part))
  return together([...(areas.length === 0 ? [] : flat(union(together(areas)))), ...others])
}

function partsOf(geometry: Geometry): readonly Shape[] {
  if (geometry.type === 'GeometryCollection') return geometry.geometries.flatMap(partsOf)
  const { type, coordinates } = geometry
  // The kinds nest as deep as their names say.
  const nested = coordinates as never
  switch (type) {
    case 'Point':
      return [point(nested)]
    case 'MultiPoint':
      return (nested as Position[]).map(point)
    case 'LineString':
      return [validLine(nested)]
    case 'MultiLineString':
      return (nested as Position[][]).map(validLine)
    case 'Polygon':
      return validArea([nested])
    case 'MultiPolygon':
      return validArea(nested)
  }
}

/** A line of one position is a point. */
const validLine = (positions: readonly Position[]): Shape =>
  isOneSpot(positions) ? point(positions[0]!) : line(positions)

const isOneSpot = (positions: readonly Position[]): boolean =>
  positions.every(([x, y]) => x === positions[0]![0] && y === positions[0]![1])

/** Areas of so many positions are looked at with care. */
const MANY = 100

function validArea(polygons: readonly (readonly (readonly Position[])[])[]): readonly Shape[] {
  const rings = polygons.flat()
  // Whether it is valid takes long to tell of one that crosses itself everywhere: that is found out first.
  const probed = rings.reduce((count, ring) => count + ring.length, 0) > MANY ? noded(rings) : undefined
  const whole = together(polygons.map((one) => polygon(one)))
  if (isValid(whole)) return flat(whole)
  const edges = probed ?? noded(rings)
  if (edges === undefined) throw new RangeError('too many segments lie above each other')
  const lines = edges.map((edge) => line(edge))
  const spots = rings.filter(isOneSpot).map((ring) => point(ring[0]!))
  return lines.length === 0 ? spots : [...rebuilt(together(lines)), ...spots]
}

/**
 * The areas that a net of noded lines encloses, each new one taken off those before it, and what is left of the lines
 * (https://postgis.net/docs/ST_MakeValid.html, `method=linework`).
 */
function rebuilt(net: Shape): readonly Shape[] {
  let edges = net
  let area: Shape | undefined
  while (!edges.isEmpty()) {
    const enclosed = enclosedBy(edges)
    if (enclosed === undefined) break
    area = area === undefined ? enclosed : symDifference(area, enclosed)
    edges = difference(edges, enclosed.getBoundary())
  }
  return [...(area ? flat(area) : []), ...flat(edges)]
}

/** All faces but the holes of others, and with what stands in those; undefined where there is none. */
function enclosedBy(edges: Shape): Shape | undefined {
  const faces = facesOf(edges)
    .map((face) => ({ face, size: face.getEnvelopeInternal().getArea() }))
    .toSorted((a, b) => b.size - a.size)
    .map(({ face }) => face)
  const shells = faces.map(shellOf)
  const parents: (number | undefined)[] = faces.map(() => undefined)
  for (const [outer, face] of faces.entries()) {
    for (const hole of holesOf(face)) {
      const inner = shells.findIndex(
        (shell, at) => at > outer && parents[at] === undefined && shell.equalsTopo(hole),
      )
      if (inner >= 0) parents[inner] = outer
    }
  }
  const depthOf = (at: number): number => (parents[at] === undefined ? 0 : 1 + depthOf(parents[at]))
  const kept = faces.filter((_, at) => depthOf(at) % 2 === 0)
  return kept.length === 0 ? undefined : union(together(kept))
}

const holesOf = (face: Area): readonly Area[] =>
  Array.from({ length: face.getNumInteriorRing() }, (_, at) =>
    polygon([
      face
        .getInteriorRingN(at)
        .getCoordinates()
        .map(({ x, y }) => [x, y]),
    ]),
  )

/** The parts of a geometry, none of which has parts itself. */
const flat = (shape: Shape): readonly Shape[] =>
  shape.isEmpty()
    ? []
    : shape.getNumGeometries() === 1 && !/Collection|Multi/.test(shape.getGeometryType())
      ? [shape]
      : Array.from({ length: shape.getNumGeometries() }, (_, at) => shape.getGeometryN(at)).flatMap(flat)
