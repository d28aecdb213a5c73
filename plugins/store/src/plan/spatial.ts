import type { Column } from './column.ts'
import type { Index, Table } from './table.ts'

/**
 * What is asked of a geometry and an area: that they share a point, edges included, or that the geometry lies inside of
 * the area as OGC means it, where a point on the edge does not.
 */
export type SpatialRelation = 'intersects' | 'within'

/** West, south, east, north; or the least x and y, and the greatest. */
export type Bounds = readonly [number, number, number, number]

/** What reaches farther lies to no area in any way: where doubles have no room for fractions, nothing can be compared. */
export const MAX_COORDINATE = 1e12

/**
 * The geometry of a json column lies to an area as is said; a null does not. Both are geometries of GeoJSON (RFC 7946) in
 * the coordinates of `srid`; third numbers do not count, and an area that crosses itself is what `ST_MakeValid` of
 * PostGIS makes of it. The store has the feature `spatial`.
 */
export interface SpatialCondition {
  readonly op: 'spatial'
  readonly by: SpatialRelation
  readonly column: Column
  readonly srid: number
  /** The area as JSON text. */
  readonly area: string
  readonly bounds: Bounds
  /** Whether the area is all that lies within its bounds. */
  readonly isBox: boolean
  /** The spatial index over the column, where the database is known to have it; the rows are the same without it. */
  readonly found?: { readonly table: Table; readonly index: Index }
}

/** Whether a geometry lies to an area as is asked; both are JSON text. It never throws. */
export type SpatialTest = (by: SpatialRelation, geometry: string, area: string) => boolean
