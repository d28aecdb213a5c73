import type { Position } from '../geometries.ts'

/** So much of the product of two lengths may be due to rounding. */
const ROUNDING = 1e-12

/** How far a position is from the straight line between two others, which ends there. */
export function distance(
  [x = 0, y = 0]: Position,
  [ax = 0, ay = 0]: Position,
  [bx = 0, by = 0]: Position,
): number {
  const [dx, dy] = [bx - ax, by - ay]
  const square = dx * dx + dy * dy
  const share = square === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / square))
  // What no double holds is far.
  const far = Math.hypot(x - ax - share * dx, y - ay - share * dy)
  return Number.isNaN(far) ? Infinity : far
}

/** Whether a position lies inside of a loop of others, whose last is followed by its first, or on its edge. */
export function isInLoop(position: Position, loop: readonly Position[]): boolean {
  let isInside = false
  for (const [at, end] of loop.entries()) {
    const begin = loop[at === 0 ? loop.length - 1 : at - 1]!
    if (isOn(position, begin, end)) return true
    if (isLeftOf(position, begin, end)) isInside = !isInside
  }
  return isInside
}

/** Whether a ray to the right crosses an edge. */
function isLeftOf([x = 0, y = 0]: Position, [ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position): boolean {
  return ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax
}

function isOn([x = 0, y = 0]: Position, [ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position): boolean {
  if (x < Math.min(ax, bx) || x > Math.max(ax, bx) || y < Math.min(ay, by) || y > Math.max(ay, by))
    return false
  const [dx, dy, px, py] = [bx - ax, by - ay, x - ax, y - ay]
  return Math.abs(dx * py - dy * px) <= ROUNDING * Math.hypot(dx, dy) * Math.hypot(px, py)
}
