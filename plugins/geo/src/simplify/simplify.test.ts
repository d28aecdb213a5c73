import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Position } from '../geometries.ts'
import { isValid, polygon } from '../relate/jts.ts'
import { simplify } from './simplify.ts'

const simple = (geometry: object, tolerance: number): any => simplify(geometry as never, tolerance)
const polygonOf = (...coordinates: Position[][]) => ({ type: 'Polygon', coordinates })
const SQUARE: Position[] = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
  [0, 0],
]

describe('simplifying', () => {
  it('changes nothing by 0, and nothing of points', () => {
    const straight = {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 0],
        [2, 0],
      ],
    }
    expect(simple(straight, 0)).toBe(straight)
    for (const type of ['Point', 'MultiPoint']) {
      const points = {
        type,
        coordinates:
          type === 'Point'
            ? [1, 2]
            : [
                [1, 2],
                [1, 2],
              ],
      }
      expect(simple(points, 100)).toEqual(points)
    }
  })

  it('leaves ends of lines and three corners of rings, whatever the tolerance', () => {
    expect(
      simple(
        {
          type: 'LineString',
          coordinates: [
            [0, 0, 5],
            [1, 3, 6],
            [2, 0, 7],
          ],
        },
        1000,
      ),
    ).toEqual({
      type: 'LineString',
      coordinates: [
        [0, 0, 5],
        [2, 0, 7],
      ],
    })
    const { coordinates } = simple(polygonOf(SQUARE), 1000) as { coordinates: Position[][] }
    expect(coordinates[0]).toHaveLength(4)
    const closed = { type: 'LineString', coordinates: SQUARE }
    expect((simple(closed, 1000) as { coordinates: Position[] }).coordinates).toHaveLength(4)
  })

  it('keeps a hole inside, and what lies between two bends on its side', () => {
    const bump: Position[] = [
      [0, 0],
      [10, 0],
      [10, 10],
      [6, 10],
      [5, 14],
      [4, 10],
      [0, 10],
      [0, 0],
    ]
    const hole: Position[] = [
      [5, 11],
      [5.2, 11],
      [5.1, 12],
      [5, 11],
    ]
    const { coordinates } = simple(polygonOf(bump, hole), 5) as { coordinates: Position[][] }
    expect(coordinates[0]).toContainEqual([5, 14])
    expect(isValid(polygon(coordinates))).toBe(true)
  })

  it('leaves rings alone that enclose nothing, and survives numbers of any size', () => {
    const flat = polygonOf([
      [0, 0],
      [1, 1],
      [2, 2],
      [0, 0],
    ])
    expect(simple(flat, 10)).toEqual(flat)
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(numbers, numbers), { minLength: 2, maxLength: 12 }),
        numbers,
        (line, tolerance) => {
          const { coordinates } = simple({ type: 'LineString', coordinates: line }, Math.abs(tolerance)) as {
            coordinates: Position[]
          }
          expect(coordinates.length).toBeGreaterThanOrEqual(2)
          for (const position of coordinates) expect(line).toContain(position)
        },
      ),
    )
  })

  it('makes nothing invalid that was valid, and goes back to nothing by itself', () => {
    const radii = fc.array(fc.integer({ min: 20, max: 100 }), { minLength: 5, maxLength: 60 })
    fc.assert(
      fc.property(radii, radii, fc.double({ min: 0, max: 200, noNaN: true }), (outer, inner, tolerance) => {
        // Around the middle in one turn: valid, the hole inside.
        const around = (all: readonly number[], share: number): Position[] => {
          const open = all.map((radius, at): Position => {
            const angle = (2 * Math.PI * at) / all.length
            return [radius * share * Math.cos(angle), radius * share * Math.sin(angle)]
          })
          return [...open, open[0]!]
        }
        const rings = [
          around(
            outer.map((radius) => radius + 100),
            1,
          ),
          around(inner, 0.3),
        ]
        if (!isValid(polygon(rings))) return
        const { coordinates } = simple(polygonOf(...rings), tolerance) as { coordinates: Position[][] }
        expect(
          coordinates.every((ring, at) => ring.length >= 4 && ring.every((one) => rings[at]!.includes(one))),
        ).toBe(true)
        expect(isValid(polygon(coordinates))).toBe(true)
      }),
    )
  })

  it('comes to an end with a hundred thousand positions that make it hard', () => {
    const random = (at: number) => ((at * 2_654_435_761) % 1_000_003) / 1_000_003
    const wild = Array.from({ length: 100_000 }, (_, at) => [
      random(at) * 360 - 180,
      random(at + 7) * 180 - 90,
    ])
    const thin = simple({ type: 'LineString', coordinates: wild }, 50) as { coordinates: Position[] }
    expect(thin.coordinates.length).toBeGreaterThan(1)
  })
})
