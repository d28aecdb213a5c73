import type { Position } from '../geometries.ts'
import { crossing, sideOf } from './jts.ts'

/** Two positions. */
export type Edge = readonly [Spot, Spot]
type Spot = readonly [x: number, y: number]

/** Pairs of segments that are looked at in all: a ring that crosses itself everywhere is not worth more of everybody's time. */
const MAX_PAIRS = 3_000_000
/** Segments meet so many more times at most than those of valid rings do: what they enclose takes far more than time in proportion. */
const MAX_CUTS = 2000
/** Positions this near to each other, as a share of the largest number, are one: crossings are rounded. */
const NEAR = 1e-13

/**
 * The segments of rings, cut where they meet, each once; undefined where so many lie above each other that it would take too
 * long to look. Throws RangeError where too many lie across each other.
 */
export function noded(rings: readonly (readonly Position[])[]): readonly Edge[] | undefined {
  const segments = rings.flatMap(segmentsOf).toSorted((a, b) => west(a) - west(b))
  const spots = new Spots(segments)
  const cuts: Spot[][] = segments.map(([from, to]) => [from, to])
  let [pairs, met] = [0, 0]
  for (const [at, segment] of segments.entries()) {
    for (let other = at + 1; other < segments.length && west(segments[other]!) <= east(segment); other += 1) {
      pairs += 1
      if (pairs > MAX_PAIRS) return undefined
      for (const spot of crossings(segment, segments[other]!)) {
        met += 1
        if (met > 3 * segments.length + MAX_CUTS)
          throw new RangeError('too many segments lie across each other')
        cuts[at]!.push(spot)
        cuts[other]!.push(spot)
      }
    }
  }
  const edges = new Map<string, Edge>()
  for (const [at, [from]] of segments.entries()) {
    const along = cuts[at]!.toSorted((a, b) => apart(a, from) - apart(b, from)).map((spot) =>
      spots.only(spot),
    )
    for (const [number, end] of along.entries()) {
      const begin = along[number - 1] ?? end
      if (begin !== end) edges.set(keyOf(begin, end), [begin, end])
    }
  }
  return [...edges.values()]
}

/** The one position that stands for all that are near it; those that were given come first. */
class Spots {
  readonly #near: number
  readonly #cells = new Map<string, Spot[]>()

  constructor(segments: readonly Edge[]) {
    const largest = segments
      .flat(2)
      .reduce((most, number) => Math.max(most, Math.abs(number)), Number.MIN_VALUE)
    this.#near = largest * NEAR
    for (const segment of segments) for (const spot of segment) this.only(spot, 0)
  }

  only(spot: Spot, near = this.#near): Spot {
    const [column, row] = spot.map((number) => Math.floor(number / this.#near / 4)) as [number, number]
    for (let x = column - 1; x <= column + 1; x += 1)
      for (let y = row - 1; y <= row + 1; y += 1)
        for (const known of this.#cells.get(`${x} ${y}`) ?? []) if (apart(known, spot) <= near) return known
    const cell = this.#cells.get(`${column} ${row}`)
    if (cell) cell.push(spot)
    else this.#cells.set(`${column} ${row}`, [spot])
    return spot
  }
}

/** Where two segments meet: nowhere, at a point, or along a part with two ends. */
function crossings([a, b]: Edge, [c, d]: Edge): readonly Spot[] {
  if (Math.min(a[1], b[1]) > Math.max(c[1], d[1]) || Math.min(c[1], d[1]) > Math.max(a[1], b[1])) return []
  const [sideC, sideD, sideA, sideB] = [sideOf(a, b, c), sideOf(a, b, d), sideOf(c, d, a), sideOf(c, d, b)]
  const touching = [
    ...(sideC === 0 && isBetween(c, a, b) ? [c] : []),
    ...(sideD === 0 && isBetween(d, a, b) ? [d] : []),
    ...(sideA === 0 && isBetween(a, c, d) ? [a] : []),
    ...(sideB === 0 && isBetween(b, c, d) ? [b] : []),
  ]
  if (touching.length > 0 || sideC * sideD >= 0 || sideA * sideB >= 0) return touching
  const { x, y } = crossing(a, b, c, d)
  return [[x, y]]
}

const isBetween = ([x, y]: Spot, [ax, ay]: Spot, [bx, by]: Spot): boolean =>
  x >= Math.min(ax, bx) && x <= Math.max(ax, bx) && y >= Math.min(ay, by) && y <= Math.max(ay, by)

const segmentsOf = (ring: readonly Position[]): readonly Edge[] =>
  ring.slice(1).flatMap((end, at): readonly Edge[] => {
    const [[ax = 0, ay = 0], [bx = 0, by = 0]] = [ring[at]!, end]
    return ax === bx && ay === by
      ? []
      : [
          [
            [ax, ay],
            [bx, by],
          ],
        ]
  })

const west = ([a, b]: Edge): number => Math.min(a[0], b[0])
const east = ([a, b]: Edge): number => Math.max(a[0], b[0])
const apart = (a: Spot, b: Spot): number => Math.hypot(a[0] - b[0], a[1] - b[1])
const keyOf = (a: Spot, b: Spot): string => [a, b].map(String).toSorted().join(' ')
