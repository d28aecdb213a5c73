import { MAX_COORDINATE, type SpatialTest } from '@svc/store/contract'
import { LRUCache } from 'lru-cache'
import { boundsOf } from '../bounds.ts'
import type { Geometry } from '../geometries.ts'
import { intersects, isArea, isCovered, type Shape, sharesInside, together } from './jts.ts'
import { Prepared } from './prepared.ts'
import { validShape } from './valid.ts'

/** Texts whose geometries are kept ready have so many characters together at most: a geometry takes some times its text. */
const KEPT_CHARACTERS = 4_000_000

interface Ready {
  /** Undefined where it cannot be compared. */
  readonly shape: Shape | undefined
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
  if (shape === undefined || area.shape === undefined) return false
  const isPlain = shape.getGeometryType() !== 'GeometryCollection'
  if (isPlain && isArea(area.shape)) {
    const prepared = (area.prepared ??= new Prepared(area.shape))
    return by === 'intersects' ? prepared.intersects(shape) : prepared.contains(shape)
  }
  const parts = partsOf(shape)
  const whole = area.shape
  if (by === 'intersects')
    return parts.some((part) => partsOf(whole).some((other) => intersects(part, other)))
  return parts.every((part) => isCovered(part, whole)) && parts.some((part) => sharesInside(part, whole))
}

/** What a shape has of each dimension; one of a single kind is compared as a whole. */
function partsOf(shape: Shape): readonly Shape[] {
  if (shape.getGeometryType() !== 'GeometryCollection') return [shape]
  const all = Array.from({ length: shape.getNumGeometries() }, (_, at) => shape.getGeometryN(at))
  return [/Point/, /Line/, /Polygon/]
    .map((kind) => all.filter((part) => kind.test(part.getGeometryType())))
    .flatMap((some) => (some.length === 0 ? [] : [together(some)]))
}

function readyShape(text: string): Ready {
  const known = ready.get(text)
  if (known !== undefined) return known
  // Both were checked before: the one as it was written, the other as it was asked for.
  const geometry: Geometry = JSON.parse(text)
  const made: Ready = { shape: shapeOf(geometry) }
  ready.set(text, made)
  return made
}

function shapeOf(geometry: Geometry): Shape | undefined {
  if (boundsOf(geometry).some((number) => Math.abs(number) > MAX_COORDINATE)) return undefined
  try {
    return validShape(geometry)
  } catch {
    return undefined
  }
}
