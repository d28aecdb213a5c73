/** Where the numbers of a side stand in a position, and which of two counts. */
const SIDES: Readonly<Record<string, number>> = { west: 0, south: 1, east: 2, north: 3 }
/** The largest number that an R*Tree holds. */
const MAX_FLOAT = 3.4028234663852886e38

let lastText: string | undefined
let lastBounds: readonly number[] = []

/** One side of the bounds of a geometry in GeoJSON. It is asked for all four in a row, and reads the text once for them. */
export function bound(side: string, geometry: string): number | null {
  if (geometry !== lastText) {
    lastBounds = boundsOf(geometry)
    lastText = geometry
  }
  return lastBounds[SIDES[side] ?? 0] ?? null
}

/** No geometry at all is nowhere, as far as a tree of numbers can say that: nothing finds it by a test. */
function boundsOf(geometry: string): readonly number[] {
  const bounds = [Infinity, Infinity, -Infinity, -Infinity]
  try {
    extend(JSON.parse(geometry), bounds)
  } catch {
    return [0, 0, 0, 0]
  }
  return bounds.every(Number.isFinite)
    ? bounds.map((number) => Math.max(-MAX_FLOAT, Math.min(MAX_FLOAT, number)))
    : [0, 0, 0, 0]
}

function extend(value: unknown, bounds: number[]): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) {
    const { coordinates, geometries } = value as { coordinates?: unknown; geometries?: unknown }
    return extend(coordinates ?? geometries, bounds)
  }
  const [x, y] = value
  if (typeof x !== 'number' || typeof y !== 'number') {
    for (const one of value) extend(one, bounds)
    return
  }
  bounds[0] = Math.min(bounds[0]!, x)
  bounds[1] = Math.min(bounds[1]!, y)
  bounds[2] = Math.max(bounds[2]!, x)
  bounds[3] = Math.max(bounds[3]!, y)
}
