import {
  didYouMean,
  ASKED_FOR_NULL,
  type Checked,
  type FieldDefinition,
  FieldTypeError,
  type FieldType,
} from '@svc/domain/contract'
import type { Store, Value } from '@svc/store/contract'
import { z } from 'zod'
import { spatialFilters } from './filters/filters.ts'
import type { Indexes } from './filters/indexes.ts'
import { GEOMETRY_KINDS, type GeometryKind } from './geometries.ts'
import { InvalidGeometry, readGeometry, WGS_84 } from './geometry.ts'
import { simplify } from './simplify/simplify.ts'

const MAX_SRID = 998_999
const ANY = 'any'

/** A place or an area as GeoJSON, filtered by where it is on a store that has the feature for that. */
export const geometryType = (features: Store['features'], indexes: Indexes): FieldType => ({
  name: 'geometry',
  aliases: ['geojson'],
  column: 'json',
  attributes: {
    geometryType: z
      .union([z.string(), z.array(z.string()).min(1)])
      .describe('The kind of geometry, or a list of kinds; any unless said. Case does not count.'),
    srid: z.int().describe('The coordinate system, by its number of EPSG; 4326 unless said.'),
  },
  ...ASKED_FOR_NULL,
  example: EXAMPLES.Point,
  compile(definition) {
    const kinds = kindsOf(definition)
    const srid = sridOf(definition)
    const isSpatial = features.has('spatial')
    return {
      check: (value) => checked(value, kinds, srid),
      parseText: () => undefined,
      ...(kinds && { example: EXAMPLES[kinds[0]!] }),
      indexes: { geom: { spatial: { srid } } },
      ...(isSpatial && { filters: spatialFilters(srid, indexes), simplify }),
      openapi: {
        type: 'object',
        required: ['type'],
        properties: {
          type: { type: 'string', enum: [...(kinds ?? GEOMETRY_KINDS)] },
          coordinates: { type: 'array', items: {} },
          geometries: { type: 'array', items: { type: 'object' } },
        },
      },
      facts: { geometryType: written(kinds), srid, spatial: isSpatial },
    }
  },
})

function checked(value: unknown, kinds: readonly GeometryKind[] | undefined, srid: number): Checked {
  try {
    const { geometry, dropped } = readGeometry(value, srid)
    if (kinds !== undefined && !kinds.includes(geometry.type)) return mismatch(geometry.type, kinds)
    return dropped.size === 0
      ? { value: geometry }
      : { value: geometry, remarks: [{ rule: 'geometry', message: withoutText([...dropped]) }] }
  } catch (error) {
    if (!(error instanceof InvalidGeometry)) throw error
    return { faults: [{ rule: 'invalid_geometry', message: error.message }] }
  }
}

const mismatch = (type: GeometryKind, kinds: readonly GeometryKind[]): Checked => ({
  faults: [
    {
      rule: 'geometry_type_mismatch',
      message: 'must be a {kinds}, which a {type} is not',
      params: { kinds: kinds.join(' or '), type },
    },
  ],
})

const MOST_NAMED = 5

const withoutText = (names: readonly string[]): string => {
  const more = names.length > MOST_NAMED ? ', …' : ''
  return `was stored without what is no part of a geometry: ${names.slice(0, MOST_NAMED).join(', ')}${more}`
}

/** As the schema tells it: a kind, several, or any. */
const written = (kinds: readonly GeometryKind[] | undefined) =>
  kinds === undefined ? ANY : kinds.length === 1 ? kinds[0]! : kinds

const SPOT = [13.405, 52.52]
const LINE = [SPOT, [13.41, 52.53]]
const RING = [...LINE, [13.42, 52.52], SPOT]

/** A geometry of each kind, for documents. */
const EXAMPLES: Readonly<Record<GeometryKind, Value>> = {
  Point: { type: 'Point', coordinates: SPOT },
  LineString: { type: 'LineString', coordinates: LINE },
  Polygon: { type: 'Polygon', coordinates: [RING] },
  MultiPoint: { type: 'MultiPoint', coordinates: LINE },
  MultiLineString: { type: 'MultiLineString', coordinates: [LINE] },
  MultiPolygon: { type: 'MultiPolygon', coordinates: [[RING]] },
  GeometryCollection: { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: SPOT }] },
}

const kindByName = new Map<string, GeometryKind>(GEOMETRY_KINDS.map((kind) => [kind.toLowerCase(), kind]))

/** The kinds that a field takes; undefined: all of them. */
function kindsOf({ geometryType: asked = ANY }: FieldDefinition): readonly GeometryKind[] | undefined {
  const names = Array.isArray(asked) ? asked : [asked]
  const kinds = names.flatMap((name, at) => {
    if (typeof name === 'string' && name.toLowerCase() === ANY) return GEOMETRY_KINDS
    const kind = typeof name === 'string' ? kindByName.get(name.toLowerCase()) : undefined
    if (kind !== undefined) return kind
    const path = Array.isArray(asked) ? ['geometryType', at] : 'geometryType'
    throw new FieldTypeError(
      path,
      `there is no geometry type '${String(name)}'`,
      didYouMean(String(name), GEOMETRY_KINDS) ?? `Write one of ${GEOMETRY_KINDS.join(', ')}`,
    )
  })
  const distinct = GEOMETRY_KINDS.filter((kind) => kinds.includes(kind))
  return distinct.length === GEOMETRY_KINDS.length ? undefined : distinct
}

function sridOf({ srid = WGS_84 }: FieldDefinition): number {
  if (typeof srid === 'number' && Number.isInteger(srid) && srid >= 1 && srid <= MAX_SRID) return srid
  throw new FieldTypeError(
    'srid',
    `srid must be a whole number from 1 to ${MAX_SRID}`,
    `Write ${WGS_84} for longitude and latitude`,
  )
}
