import { describe, expect, it } from 'vitest'
import { relates } from './relate.ts'

const polygon = (...coordinates: number[][][]) => JSON.stringify({ type: 'Polygon', coordinates })
const point = (...coordinates: number[]) => JSON.stringify({ type: 'Point', coordinates })
const around = (count: number, radius: (at: number) => number) => {
  const open = Array.from({ length: count }, (_, at) => {
    const angle = (2 * Math.PI * at) / count
    return [radius(at) * Math.cos(angle), radius(at) * Math.sin(angle)]
  })
  return [...open, open[0]!]
}

describe('comparing geometries', () => {
  it('takes what is left of an area that crosses itself, its lines too', () => {
    const kite = polygon([
      [0, 0],
      [5, 5],
      [5, 0],
      [0, 0],
      [-5, 0],
      [0, 0],
    ])
    expect([point(4, 1), point(-3, 0), point(-3, 1)].map((one) => relates('intersects', one, kite))).toEqual([
      true,
      true,
      false,
    ])
    const flat = polygon([
      [0, 0],
      [1, 1],
      [2, 2],
      [0, 0],
    ])
    expect([relates('intersects', point(1, 1), flat), relates('within', point(1, 1), flat)]).toEqual([
      true,
      true,
    ])
    const spot = polygon([
      [3, 3],
      [3, 3],
      [3, 3],
      [3, 3],
    ])
    expect([relates('intersects', point(3, 3), spot), relates('within', spot, point(3, 3))]).toEqual([
      true,
      true,
    ])
  })

  it('takes large areas that are valid', () => {
    const large = polygon(around(20_000, (at) => 100 + (at % 7)))
    expect([relates('within', point(1, 1), large), relates('within', point(120, 1), large)]).toEqual([
      true,
      false,
    ])
  })

  it('gives up what crosses itself everywhere, and finds it nowhere', () => {
    const random = (at: number) => ((at * 2_654_435_761) % 1_000_003) / 1_000_003
    const wild = Array.from({ length: 3000 }, (_, at) => [random(at) * 100, random(at + 7) * 100])
    expect(relates('intersects', point(50, 50), polygon([...wild, wild[0]!]))).toBe(false)
  })

  it('says no where something is no geometry', () => {
    for (const text of ['', 'x', 'null', '{}', '{"type":"Point"}'])
      expect(relates('intersects', point(0, 0), text)).toBe(false)
  })
})
