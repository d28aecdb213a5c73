import { sql } from 'kysely'
import type { SpatialDialect, Sql } from '../compile/dialect.ts'
import { chained, named, PARAMETER } from '../compile/form.ts'
import { type Index, MAX_COORDINATE, type SpatialRelation, type Table } from '../plan.ts'

/** What PostgreSQL keeps of a name, in bytes. */
const MAX_NAME = 63

/** Longitude and latitude: of those no number is large. */
const DEGREES = 4326
const LIMITS = [-MAX_COORDINATE, -MAX_COORDINATE, MAX_COORDINATE, MAX_COORDINATE].map((limit) =>
  sql.lit(limit),
)

const FUNCTIONS = { intersects: 'st_intersects', within: 'st_within' } as const satisfies Record<
  SpatialRelation,
  string
>

/** How often a comparison names the area. */
const TIMES = { intersects: 5, within: 14 } as const satisfies Record<SpatialRelation, number>

type Call = (name: string, ...args: readonly Sql[]) => Sql

/**
 * Geometries by PostGIS 3 (https://postgis.net/docs), whose objects stand in `schema`. A table that is new has a generated
 * column `<field>__geom` with an index of the method gist; elsewhere each value is read anew for each comparison.
 */
export function postgresSpatial(schema: string | undefined): SpatialDialect {
  const call: Call = (name, ...args) => sql`${sql.id(schema ?? '', name)}(${sql.join(args)})`

  /** A geometry in two dimensions, before it is valid. */
  const read = (json: Sql, srid: number): Sql =>
    call('st_force2d', call('st_setsrid', call('st_geomfromgeojson', json), sql.lit(srid)))

  const only = (geometry: Sql, dimension: number): Sql =>
    call('st_collectionextract', geometry, sql.lit(dimension + 1))
  const united = (made: Sql): Sql =>
    call(
      'st_collect',
      sql`array[${only(made, 0)}, ${only(made, 1)}, ${call('st_unaryunion', only(made, 2))}]`,
    )

  /** Areas of a collection count once: those that lie over or beside each other are one. */
  const valid = (geometry: Sql, srid: number): Sql => {
    const made = call('st_makevalid', geometry)
    const whole = sql`case when ${call('geometrytype', geometry)} = 'GEOMETRYCOLLECTION' then ${united(made)} else ${made} end`
    if (srid === DEGREES) return whole
    const limits = call('st_makeenvelope', ...LIMITS, sql.lit(srid))
    return sql`case when ${call('geometry_contains', limits, geometry)} then ${whole} end`
  }

  /**
   * The parts of each dimension by themselves, and by what GEOS does not prepare: an area that many rows are compared with
   * is prepared, which is worth its while, and is then wrong about some collections and points.
   */
  const mixed = (by: SpatialRelation, geometry: Sql, area: Sql): Sql => {
    const parts = [0, 1, 2].map((dimension) => only(geometry, dimension))
    if (by === 'intersects')
      return chained(
        parts.map((part) => sql`not ${call('st_disjoint', part, area)}`),
        'or',
      )
    // What lies apart from a collection is refused in place of being told so.
    const relates = (part: Sql, pattern: string): Sql =>
      sql`${call('st_intersects', part, area)} and ${call('st_relate', part, area, sql.lit(pattern))}`
    const covered = parts.map((part) => sql`(${call('st_isempty', part)} or ${relates(part, '**F**F***')})`)
    const inside = parts.map((part) => sql`(${relates(part, 'T********')})`)
    return sql`${chained(covered, 'and')} and ${chained(inside, 'or')}`
  }

  return {
    column(table, index) {
      const name = columnName(table, index)
      const [of] = index.columns
      if (schema === undefined || name === undefined || of === undefined || !index.spatial) return undefined
      const { srid } = index.spatial
      const type = sql`${sql.id(schema, 'geometry')}(Geometry, ${sql.lit(srid)})`
      return sql`${sql.id(name)} ${type} generated always as (${valid(read(named(of), srid), srid)}) stored`
    },
    create(table, index, isNew) {
      const name = columnName(table, index)
      if (schema === undefined || name === undefined || !isNew) return []
      return [sql`create index ${named(index)} on ${named(table)} using gist (${sql.id(name)})`]
    },
    drop(table, index) {
      const name = columnName(table, index)
      return name === undefined
        ? []
        : [sql`alter table ${named(table)} drop column if exists ${sql.id(name)}`]
    },
    bind: ({ by, area }) => Array.from({ length: TIMES[by] }, () => area),
    matches({ by, column, srid, found }) {
      const name = found && columnName(found.table, found.index)
      const area = sql`(select ${valid(sql`"~area"`, srid)} from (select ${read(sql`${PARAMETER}::text`, srid)} as "~area" offset 0) as "~")`
      const geometry = name ? sql.id(name) : valid(read(named(column), srid), srid)
      const near = sql`${geometry} operator(${sql.id(schema ?? '')}.&&) ${area}`
      const kind = call('geometrytype', geometry)
      const one = call(FUNCTIONS[by], geometry, area)
      return sql`${near} and case when ${kind} in ('GEOMETRYCOLLECTION', 'MULTIPOINT') then ${mixed(by, geometry, area)} else ${one} end`
    },
  }
}

/** The hidden column of an index; undefined where a field has its name, or it would be too long. */
function columnName({ columns }: Table, index: Index): string | undefined {
  const name = `${index.columns[0]?.name}__geom`
  return name.length > MAX_NAME || columns.some((column) => column.name === name) ? undefined : name
}
