import type { Position } from '../geometries.ts'

/** A position of a line, and where it stands. */
export interface Placed {
  readonly position: Position
  readonly line: number
  readonly at: number
}

/** About so many positions are in a cell. */
const IN_CELL = 4

/** The positions of lines, found by where they are. */
export class Grid {
  readonly #cells = new Map<number, Placed[]>()
  readonly #bounds: Bounds
  readonly #size: number

  constructor(lines: readonly (readonly Position[])[]) {
    const count = lines.reduce((sum, line) => sum + line.length, 0)
    this.#size = Math.max(1, Math.ceil(Math.sqrt(count / IN_CELL)))
    this.#bounds = lines.map(boundsOf).reduce(joined)
    for (const [number, line] of lines.entries())
      for (const [at, position] of line.entries()) this.#put({ position, line: number, at })
  }

  /** Those within the bounds of other positions. */
  *within(positions: readonly Position[]): IterableIterator<Placed> {
    const [west, south, east, north] = boundsOf(positions)
    const [left, right, bottom, top] = [
      this.#column(west),
      this.#column(east),
      this.#row(south),
      this.#row(north),
    ]
    for (let column = left; column <= right; column += 1)
      for (let row = bottom; row <= top; row += 1)
        for (const placed of this.#cells.get(column * this.#size + row) ?? []) {
          const [x = 0, y = 0] = placed.position
          if (x >= west && x <= east && y >= south && y <= north) yield placed
        }
  }

  #put(placed: Placed): void {
    const [x = 0, y = 0] = placed.position
    const cell = this.#column(x) * this.#size + this.#row(y)
    const there = this.#cells.get(cell)
    if (there) there.push(placed)
    else this.#cells.set(cell, [placed])
  }

  #column(x: number): number {
    const [west, , east] = this.#bounds
    return this.#share(x, west, east)
  }

  #row(y: number): number {
    const [, south, , north] = this.#bounds
    return this.#share(y, south, north)
  }

  #share(number: number, least: number, most: number): number {
    const share = (number - least) / (most - least)
    return Number.isFinite(share) ? Math.max(0, Math.min(this.#size - 1, Math.floor(share * this.#size))) : 0
  }
}

type Bounds = readonly [west: number, south: number, east: number, north: number]

function boundsOf(positions: readonly Position[]): Bounds {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x = 0, y = 0] of positions) {
    west = Math.min(west, x)
    south = Math.min(south, y)
    east = Math.max(east, x)
    north = Math.max(north, y)
  }
  return [west, south, east, north]
}

const joined = (a: Bounds, b: Bounds): Bounds => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
]
