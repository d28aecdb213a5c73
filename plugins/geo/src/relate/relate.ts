import type { SpatialTest } from '@svc/store/contract'
import { LRUCache } from 'lru-cache'
import type { Geometry } from '../geometry.ts'
import { intersects, isWithin, type Shape } from './jts.ts'
import { isArea, Prepared } from './prepared.ts'
import { validShape } from './valid.ts'

/** Texts whose geometries are kept ready have so many characters together at most: a geometry takes some times its text. */
const KEPT_CHARACTERS = 4_000_000

interface Ready {
  readonly shape: Shape
  /** What compares it with many others, where it is nothing but areas; made when it is first an area that is asked for. */
  prepared?: Prepared | undefined
}

const ready = new LRUCache<string, Ready>({
  maxSize: KEPT_CHARACTERS,
  sizeCalculation: (_, text) => text.length + 100,
})

/** Whether a geometry lies to an area as is asked, as PostGIS has it. What cannot be compared does not. */
export const relates: SpatialTest = (by, geometry, area) => {
  try {
    return compare(by, readyShape(geometry), readyShape(area))
  } catch {
    return false
  }
}

function compare(by: 'intersects' | 'within', { shape }: Ready, area: Ready): boolean {
  const isPlain = shape.getGeometryType() !== 'GeometryCollection'
  if (isPlain && isArea(area.shape)) {
    const prepared = (area.prepared ??= new Prepared(area.shape))
    return by === 'intersects' ? prepared.intersects(shape) : prepared.contains(shape)
  }
  if (by === 'within') return isWithin(shape, area.shape)
  return partsOf(shape).some((part) => partsOf(area.shape).some((other) => intersects(part, other)))
}

/** Parts of several kinds one by one; a shape of one kind is compared as a whole. */
const partsOf = (shape: Shape): readonly Shape[] =>
  shape.getGeometryType() === 'GeometryCollection'
    ? Array.from({ length: shape.getNumGeometries() }, (_, at) => shape.getGeometryN(at))
    : [shape]

function readyShape(text: string): Ready {
  const known = ready.get(text)
  if (known !== undefined) return known
  // Both were checked before: the one as it was written, the other as it was asked for.
  const geometry: Geometry = JSON.parse(text)
  const made: Ready = { shape: validShape(geometry) }
  ready.set(text, made)
  return made
}
