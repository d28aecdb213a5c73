import { isEntangled, MAX_CROSSINGS } from './entangled.ts'
import { type Coordinates, DEPTHS, GEOMETRY_KINDS, type Geometry, type Position } from './geometries.ts'

/** What was read, and the names of members that are no part of it. */
export interface ReadGeometry {
  readonly geometry: Geometry
  readonly dropped: ReadonlySet<string>
}

/** WGS 84, in degrees. */
export const WGS_84 = 4326
export const MAX_POSITIONS = 100_000
/** How deep collections may stand in each other. */
export const MAX_COLLECTIONS = 4

/** Why a value is no geometry, going on from its name: `has no type`. */
export class InvalidGeometry extends Error {}

/**
 * Reads a geometry of RFC 7946, as an object or as JSON text, no deeper than a kind goes, in time that its size bounds. Throws InvalidGeometry.
 */
export function readGeometry(value: unknown, srid: number): ReadGeometry {
  const reading = new Reading(srid === WGS_84)
  const geometry = reading.geometry(typeof value === 'string' ? parsed(value) : value, 0)
  if (isEntangled(geometry))
    throw new InvalidGeometry(
      `has rings that cross themselves or each other more than ${MAX_CROSSINGS} times`,
    )
  return { geometry, dropped: reading.dropped }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidGeometry('must be a GeoJSON geometry: this text is no JSON')
  }
}

class Reading {
  readonly dropped = new Set<string>()
  readonly #isInDegrees: boolean
  /** How many numbers each position has. */
  #size: number | undefined
  #positions = 0

  constructor(isInDegrees: boolean) {
    this.#isInDegrees = isInDegrees
  }

  geometry(value: unknown, depth: number): Geometry {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new InvalidGeometry('must be a GeoJSON geometry: an object with type and coordinates')
    const { type, coordinates, geometries, ...others } = value as Readonly<Record<string, unknown>>
    if (type === 'Feature') throw new InvalidGeometry("is a Feature: send its 'geometry'")
    if (type === 'FeatureCollection')
      throw new InvalidGeometry("is a FeatureCollection: send the 'geometry' of one of its features")
    if (type === 'GeometryCollection') {
      this.#drop(coordinates === undefined ? others : { coordinates, ...others })
      return { type, geometries: this.#collection(geometries, depth + 1) }
    }
    if (!isKind(type)) throw new InvalidGeometry(`must have a type among ${GEOMETRY_KINDS.join(', ')}`)
    this.#drop(geometries === undefined ? others : { geometries, ...others })
    return { type, coordinates: this.#coordinates(coordinates, type) }
  }

  #drop(members: Readonly<Record<string, unknown>>): void {
    for (const name of Object.keys(members)) {
      if (this.dropped.size > MOST_NAMED) return
      this.dropped.add(name.slice(0, MAX_NAME))
    }
  }

  #collection(geometries: unknown, depth: number): readonly Geometry[] {
    if (depth > MAX_COLLECTIONS)
      throw new InvalidGeometry(`has collections more than ${MAX_COLLECTIONS} deep inside of each other`)
    if (!Array.isArray(geometries) || geometries.length === 0)
      throw new InvalidGeometry("must have geometries in the 'geometries' of a GeometryCollection")
    return geometries.map((one) => this.geometry(one, depth))
  }

  #coordinates(written: unknown, kind: keyof typeof DEPTHS): Coordinates {
    switch (kind) {
      case 'Point':
        return this.#position(written)
      case 'MultiPoint':
        return this.#list(written, 1, kind, (one) => this.#position(one))
      case 'LineString':
        return this.#line(written)
      case 'MultiLineString':
        return this.#list(written, 1, kind, (one) => this.#line(one))
      case 'Polygon':
        return this.#polygon(written)
      case 'MultiPolygon':
        return this.#list(written, 1, kind, (one) => this.#polygon(one))
    }
  }

  #polygon(written: unknown): Coordinates {
    return this.#list(written, 1, 'Polygon', (one) => this.#ring(one))
  }

  #line(written: unknown): Coordinates {
    return this.#list(written, 2, 'LineString', (one) => this.#position(one))
  }

  #ring(written: unknown): Coordinates {
    const ring = this.#list(written, 4, 'ring', (one) => this.#position(one))
    const [first, last] = [ring[0] as Position, ring.at(-1) as Position]
    if (first.some((number, at) => number !== last[at]))
      throw new InvalidGeometry('has a ring that does not end where it began')
    return ring
  }

  #list(written: unknown, least: number, what: string, read: (one: unknown) => Coordinates): Coordinates {
    if (!Array.isArray(written)) throw new InvalidGeometry(`has a ${what} whose coordinates are no list`)
    if (written.length < least)
      throw new InvalidGeometry(
        least === 1 ? `has an empty ${what}` : `has a ${what} of fewer than ${least} positions`,
      )
    return written.map(read)
  }

  #position(written: unknown): Position {
    this.#positions += 1
    if (this.#positions > MAX_POSITIONS) throw new InvalidGeometry(`has more than ${MAX_POSITIONS} positions`)
    if (!isPosition(written)) throw new InvalidGeometry('has a position that is not two or three numbers')
    this.#size ??= written.length
    if (written.length !== this.#size)
      throw new InvalidGeometry('has positions of two numbers beside some of three')
    if (this.#isInDegrees && !isOnEarth(written))
      throw new InvalidGeometry(
        'has a position off the earth: longitude comes first, within 180 degrees, then latitude, within 90',
      )
    return written
  }
}

const MOST_NAMED = 5
const MAX_NAME = 40

const isKind = (type: unknown): type is keyof typeof DEPTHS =>
  typeof type === 'string' && Object.hasOwn(DEPTHS, type)

const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) &&
  (value.length === 2 || value.length === 3) &&
  value.every((number) => typeof number === 'number' && Number.isFinite(number))

const isOnEarth = ([longitude = NaN, latitude = NaN]: Position): boolean =>
  Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90
