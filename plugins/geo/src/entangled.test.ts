import { expect, it } from 'vitest'
import { createRandom } from '../../../test/kit/random.ts'
import { isEntangled, MAX_CROSSINGS } from './entangled.ts'
import type { Geometry, Position } from './geometries.ts'

const closed = (ring: readonly Position[]): readonly Position[] => [...ring, ring[0]!]
const polygon = (...rings: readonly (readonly Position[])[]): Geometry => ({
  type: 'Polygon',
  coordinates: rings.map(closed),
})
/** A star: each of `count` positions on a circle leads to the one `step` further on. */
const star = (count: number, step: number): readonly Position[] =>
  Array.from({ length: count }, (_, at) => {
    const angle = (2 * Math.PI * ((at * step) % count)) / count
    return [Math.cos(angle), Math.sin(angle)]
  })

/** Every pair is compared. */
function crossingsOf(rings: readonly (readonly Position[])[]): number {
  const all = rings.flatMap((ring) =>
    closed(ring)
      .slice(1)
      .map((end, at) => [ring[at]!, end] as const),
  )
  const side = ([ax, ay]: Position, [bx, by]: Position, [x, y]: Position) =>
    Math.sign((bx! - ax!) * (y! - ay!) - (by! - ay!) * (x! - ax!))
  let count = 0
  for (const [at, [a, b]] of all.entries())
    for (const [c, d] of all.slice(at + 1))
      if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) count += 1
  return count
}

it('C4.2: counts crossings as who compares every pair, whatever the shape', () => {
  const random = createRandom(4)
  for (let run = 0; run < 60; run += 1) {
    const rings = Array.from({ length: 1 + random.int(3) }, () =>
      Array.from({ length: 3 + random.int(60) }, (): Position => [
        random.int(1000),
        random.int(run % 2 ? 1000 : 40),
      ]),
    )
    const count = crossingsOf(rings)
    expect([count, isEntangled(polygon(...rings))]).toEqual([count, count > MAX_CROSSINGS])
  }
})

it.each([
  ['a circle of 99,999 positions', polygon(star(99_999, 1)), false],
  [
    'a bow tie',
    polygon([
      [0, 0],
      [1, 1],
      [1, 0],
      [0, 1],
    ]),
    false,
  ],
  ['a star that crosses itself 500 times', polygon(star(500, 2)), false],
  ['a star that crosses itself 20,000 times', polygon(star(201, 100)), true],
  [
    'a comb of 10,000 long teeth',
    polygon([
      ...Array.from({ length: 20_000 }, (_, at): Position => [at, at % 4 < 2 ? 0 : 5000]),
      [20_000, -1],
      [0, -1],
    ]),
    false,
  ],
  [
    'the same comb, lying down',
    polygon([
      ...Array.from({ length: 20_000 }, (_, at): Position => [at % 4 < 2 ? 0 : 5000, at]),
      [-1, 20_000],
      [-1, 0],
    ]),
    false,
  ],
  [
    '10,000 squares, side by side',
    {
      type: 'MultiPolygon',
      coordinates: Array.from({ length: 10_000 }, (_, at) => {
        const [x, y] = [at % 100, Math.floor(at / 100)]
        return [
          closed([
            [x, y],
            [x + 1, y],
            [x + 1, y + 1],
            [x, y + 1],
          ]),
        ]
      }),
    } satisfies Geometry,
    false,
  ],
  [
    'lines that cross everywhere',
    { type: 'LineString', coordinates: star(201, 100) } satisfies Geometry,
    false,
  ],
])('C4.2: %s', (_, geometry, expected) => {
  expect(isEntangled(geometry)).toBe(expected)
})
