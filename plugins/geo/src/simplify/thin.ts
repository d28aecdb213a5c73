import type { Position } from '../geometries.ts'
import { Grid } from './grid.ts'
import { distance, isInLoop } from './plane.ts'

/** Steps of the search at most, for each position and in all: what is not decided by then stays. */
const [STEPS_EACH, STEPS_MORE] = [60, 100_000]

/**
 * The lines and rings of one geometry without the positions that the rest can do without, as Douglas and Peucker choose them.
 * A run of positions goes where no other position of the geometry lies between it and the straight line that takes its place:
 * so no line comes to cross another, and no ring to lie on another side of one. Where lines meet, they stay.
 */
export function thinned(
  lines: readonly (readonly Position[])[],
  tolerance: number,
): readonly (readonly Position[])[] {
  const thinning = new Thinning(lines, tolerance)
  return lines.map((line, at) => thinning.thin(line, at))
}

class Thinning {
  readonly #tolerance: number
  readonly #grid: Grid
  /** How often a place is a position of the geometry. */
  readonly #visits = new Map<string, number>()
  #steps: number

  constructor(lines: readonly (readonly Position[])[], tolerance: number) {
    this.#tolerance = tolerance
    this.#grid = new Grid(lines)
    this.#steps = STEPS_MORE
    for (const line of lines) {
      this.#steps += STEPS_EACH * line.length
      for (const [at, position] of line.entries())
        if (at > 0 || !isClosed(line)) this.#visits.set(placeOf(position), this.#visitsOf(position) + 1)
    }
  }

  thin(line: readonly Position[], number: number): readonly Position[] {
    const anchors = this.#anchors(line)
    const kept = new Set(anchors)
    const runs = anchors.slice(1).map((end, at): [number, number] => [anchors[at]!, end])
    for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
      const [from, to] = run
      if (to - from < 2) continue
      const farthest = this.#farthest(line, from, to)
      if (farthest.distance <= this.#tolerance && this.#isClear(line, number, from, to)) continue
      if (this.#steps <= 0) {
        for (let at = from + 1; at < to; at += 1) kept.add(at)
        continue
      }
      kept.add(farthest.at)
      runs.push([from, farthest.at], [farthest.at, to])
    }
    return kept.size === line.length ? line : line.filter((_, at) => kept.has(at))
  }

  /** Positions that stay in any case: the ends, three corners of a ring, and those where lines meet. */
  #anchors(line: readonly Position[]): readonly number[] {
    const last = line.length - 1
    const anchors = new Set([0, last])
    if (isClosed(line)) {
      const { at: across } = this.#farthest(line, 0, last)
      const aside = this.#aside(line, across)
      if (aside === undefined) return line.map((_, at) => at)
      anchors.add(across).add(aside)
    }
    for (const [at, position] of line.entries()) if (this.#visitsOf(position) > 1) anchors.add(at)
    return [...anchors].toSorted((a, b) => a - b)
  }

  /** The position of a ring that is farthest from the line between the first and the one across; undefined where all are on it. */
  #aside(line: readonly Position[], across: number): number | undefined {
    const [from, to] = [line[0]!, line[across]!]
    let best: { at: number; far: number } | undefined
    for (const [at, position] of line.entries()) {
      const far = distance(position, from, to)
      if (far > (best?.far ?? 0)) best = { at, far }
    }
    return best?.at
  }

  #farthest(line: readonly Position[], from: number, to: number): { at: number; distance: number } {
    let farthest = { at: from + 1, distance: -1 }
    const [begin, end] = [line[from]!, line[to]!]
    for (let at = from + 1; at < to; at += 1) {
      const far = distance(line[at]!, begin, end)
      if (far > farthest.distance) farthest = { at, distance: far }
    }
    this.#steps -= to - from
    return farthest
  }

  /** Whether no other position lies between the run and the straight line from its begin to its end. */
  #isClear(line: readonly Position[], number: number, from: number, to: number): boolean {
    const loop = line.slice(from, to + 1)
    for (const { position, line: other, at } of this.#grid.within(loop)) {
      this.#steps -= 1
      if (other === number && at >= from && at <= to) continue
      if (isSamePlace(position, line[from]!) || isSamePlace(position, line[to]!)) continue
      this.#steps -= loop.length
      if (this.#steps <= 0 || isInLoop(position, loop)) return false
    }
    return true
  }

  #visitsOf = (position: Position): number => this.#visits.get(placeOf(position)) ?? 0
}

const isClosed = (line: readonly Position[]): boolean => isSamePlace(line[0]!, line.at(-1)!)
const isSamePlace = (a: Position, b: Position): boolean => a[0] === b[0] && a[1] === b[1]
const placeOf = ([x, y]: Position): string => `${x} ${y}`
