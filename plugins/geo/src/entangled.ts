import type { Coordinates, Geometry, Position } from './geometries.ts'

/** Rings may cross themselves and each other so often: what they enclose takes a database far more than time in proportion. */
export const MAX_CROSSINGS = 1000
/** Pairs and places that are looked at in one go: rings whose long segments lie above each other in both directions need more. */
const MAX_LOOKS = 2_000_000

/** Whether the rings of a geometry cross more often than they may, or lie so that nobody can tell in time. */
export function isEntangled(geometry: Geometry): boolean {
  const rings = ringsOf(geometry)
  const segments = rings.reduce((sum, ring) => sum + ring.length - 1, 0)
  // Fewer cannot cross that often.
  if (segments * (segments - 3) <= 2 * MAX_CROSSINGS) return false
  const crossings = countBy(segmentsOf(rings, segments, 0), segments)
  return (crossings ?? countBy(segmentsOf(rings, segments, 1), segments) ?? Infinity) > MAX_CROSSINGS
}

function ringsOf(geometry: Geometry): readonly (readonly Position[])[] {
  if (geometry.type === 'GeometryCollection') return geometry.geometries.flatMap(ringsOf)
  const { type, coordinates } = geometry
  if (type === 'Polygon') return rings(coordinates)
  return type === 'MultiPolygon' ? (coordinates as readonly Coordinates[]).flatMap(rings) : []
}

const rings = (polygon: Coordinates) => polygon as readonly (readonly Position[])[]

/** Four numbers for each segment: where it begins and ends. With `turn` 1 the two axes change places. */
function segmentsOf(all: readonly (readonly Position[])[], count: number, turn: 0 | 1): Float64Array {
  const numbers = new Float64Array(4 * count)
  let at = 0
  for (const ring of all) {
    for (let end = 1; end < ring.length; end += 1) {
      const [from, to] = [ring[end - 1]!, ring[end]!]
      numbers[at] = from[turn]!
      numbers[at + 1] = from[1 - turn]!
      numbers[at + 2] = to[turn]!
      numbers[at + 3] = to[1 - turn]!
      at += 4
    }
  }
  return numbers
}

/**
 * Counts crossings, up to the first that is too many; undefined where that takes too many looks. The plane is cut into
 * slabs across the second axis, so that only what is near each other is compared, and each pair in one slab alone.
 */
function countBy(numbers: Float64Array, count: number): number | undefined {
  let [low, high] = [Infinity, -Infinity]
  for (let at = 1; at < numbers.length; at += 2) {
    low = Math.min(low, numbers[at]!)
    high = Math.max(high, numbers[at]!)
  }
  const slabs = Math.ceil(Math.sqrt(count))
  const slabOf = (number: number) =>
    Math.min(slabs - 1, Math.floor(((number - low) / (high - low || 1)) * slabs))
  const bottom = (one: number) => Math.min(numbers[4 * one + 1]!, numbers[4 * one + 3]!)
  const top = (one: number) => Math.max(numbers[4 * one + 1]!, numbers[4 * one + 3]!)
  const left = (one: number) => Math.min(numbers[4 * one]!, numbers[4 * one + 2]!)
  const right = (one: number) => Math.max(numbers[4 * one]!, numbers[4 * one + 2]!)
  let looks = 0
  const held: number[][] = Array.from({ length: slabs }, () => [])
  for (let one = 0; one < count; one += 1) {
    const last = slabOf(top(one))
    for (let slab = slabOf(bottom(one)); slab <= last; slab += 1) held[slab]!.push(one)
    looks += last - slabOf(bottom(one))
    if (looks > MAX_LOOKS) return undefined
  }
  let crossings = 0
  for (const [slab, inside] of held.entries()) {
    inside.sort((a, b) => left(a) - left(b))
    for (const [at, one] of inside.entries()) {
      const end = right(one)
      for (let next = at + 1; next < inside.length && left(inside[next]!) <= end; next += 1) {
        const other = inside[next]!
        looks += 1
        if (slabOf(Math.max(bottom(one), bottom(other))) === slab && crosses(numbers, 4 * one, 4 * other))
          crossings += 1
        if (crossings > MAX_CROSSINGS) return crossings
      }
      if (looks > MAX_LOOKS) return undefined
    }
  }
  return crossings
}

/** Whether two segments cross in a point that is the end of neither. */
const crosses = (numbers: Float64Array, a: number, b: number): boolean =>
  sideOf(numbers, a, b) * sideOf(numbers, a, b + 2) < 0 &&
  sideOf(numbers, b, a) * sideOf(numbers, b, a + 2) < 0

/** On which side of a segment a point lies: 1, -1, or 0 for on its line. */
function sideOf(numbers: Float64Array, segment: number, point: number): number {
  const [ax, ay] = [numbers[segment]!, numbers[segment + 1]!]
  const [bx, by] = [numbers[segment + 2]!, numbers[segment + 3]!]
  return Math.sign((bx - ax) * (numbers[point + 1]! - ay) - (by - ay) * (numbers[point]! - ax))
}
