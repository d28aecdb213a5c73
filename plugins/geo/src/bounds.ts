import type { Bounds } from '@svc/store/contract'
import type { Coordinates, Geometry } from './geometries.ts'

/** West, south, east and north of a geometry. */
export function boundsOf(geometry: Geometry): Bounds {
  const bounds: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity]
  extend(geometry, bounds)
  return bounds
}

function extend(geometry: Geometry, bounds: [number, number, number, number]): void {
  if (geometry.type === 'GeometryCollection') {
    for (const part of geometry.geometries) extend(part, bounds)
  } else extendBy(geometry.coordinates, bounds)
}

function extendBy(coordinates: Coordinates, bounds: [number, number, number, number]): void {
  const [x, y] = coordinates
  if (typeof x !== 'number' || typeof y !== 'number') {
    for (const inner of coordinates) if (typeof inner !== 'number') extendBy(inner, bounds)
    return
  }
  bounds[0] = Math.min(bounds[0], x)
  bounds[1] = Math.min(bounds[1], y)
  bounds[2] = Math.max(bounds[2], x)
  bounds[3] = Math.max(bounds[3], y)
}
