import { type Bounds, MAX_COORDINATE } from '@svc/store/contract'
import { boundsOf } from '../bounds.ts'
import { InvalidGeometry, readGeometry, WGS_84 } from '../geometry.ts'

/** What a filter compares geometries with. */
export interface AskedArea {
  /** JSON text. */
  readonly area: string
  readonly bounds: Bounds
  readonly isBox: boolean
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i
const [MAX_LONGITUDE, MAX_LATITUDE] = [180, 90]

/**
 * The boxes of `minLon,minLat,maxLon,maxLat`: two where it crosses the antimeridian. A text says what is wrong, going on
 * from the parameter's name.
 */
export function readBoxes(text: string, srid: number): readonly AskedArea[] | string {
  const parts = text.split(',', 5).map((part) => part.trim())
  const numbers = parts.map((part) => (NUMBER.test(part) ? Number(part) : NaN))
  const [west, south, east, north] = numbers
  if (parts.length !== 4 || !numbers.every(Number.isFinite))
    return 'takes four numbers: minLon,minLat,maxLon,maxLat'
  const bounds: Bounds = [west!, south!, east!, north!]
  return srid === WGS_84 ? boxesOnEarth(bounds) : boxesOnPlane(bounds)
}

function boxesOnEarth([west, south, east, north]: Bounds): readonly AskedArea[] | string {
  const isOff = [west, east].some((one) => Math.abs(one) > MAX_LONGITUDE)
  if (isOff || [south, north].some((one) => Math.abs(one) > MAX_LATITUDE))
    return 'takes longitudes within 180 degrees and latitudes within 90: minLon,minLat,maxLon,maxLat'
  if (south > north) return UPSIDE_DOWN
  if (west <= east) return [boxOf([west, south, east, north])]
  return [boxOf([west, south, MAX_LONGITUDE, north]), boxOf([-MAX_LONGITUDE, south, east, north])]
}

function boxesOnPlane(bounds: Bounds): readonly AskedArea[] | string {
  const [west, south, east, north] = bounds
  if (south > north) return UPSIDE_DOWN
  if (west > east)
    return 'takes the least x before the greatest: there is no antimeridian in this coordinate system'
  return [boxOf([within(west), within(south), within(east), within(north)])]
}

const within = (number: number): number => Math.max(-MAX_COORDINATE, Math.min(MAX_COORDINATE, number))

const TOO_FAR = `has a position that is more than ${MAX_COORDINATE} away from the origin`
const UPSIDE_DOWN = 'takes the southern latitude before the northern one: minLon,minLat,maxLon,maxLat'

/** A box without width or height is a line or a point. */
function boxOf(bounds: Bounds): AskedArea {
  const [west, south, east, north] = bounds
  const geometry =
    west === east && south === north
      ? { type: 'Point', coordinates: [west, south] }
      : west === east || south === north
        ? {
            type: 'LineString',
            coordinates: [
              [west, south],
              [east, north],
            ],
          }
        : {
            type: 'Polygon',
            coordinates: [
              [
                [west, south],
                [east, south],
                [east, north],
                [west, north],
                [west, south],
              ],
            ],
          }
  return { area: JSON.stringify(geometry), bounds, isBox: true }
}

/** A geometry that was sent as JSON text; a text says why it is none, going on from the parameter's name. */
export function readArea(text: string, srid: number): AskedArea | string {
  try {
    const { geometry } = readGeometry(text, srid)
    const bounds = boundsOf(geometry)
    if (bounds.some((number) => Math.abs(number) > MAX_COORDINATE)) return TOO_FAR
    return {
      area: JSON.stringify(geometry),
      bounds,
      isBox: false,
    }
  } catch (error) {
    if (error instanceof InvalidGeometry) return error.message
    throw error
  }
}
