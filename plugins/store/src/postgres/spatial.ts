import { sql } from 'kysely'
import type { SpatialDialect, Sql } from '../compile/dialect.ts'
import { chained, named, nothing, PARAMETER } from '../compile/form.ts'
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
    makeRoom: (table, name) =>
      name.endsWith(HIDDEN) ? [whereHidden(table, name, [dropped(table, name)])] : [],
    create(table, index, { isNew = false, twin }) {
      const name = columnName(table, index)
      const former = twin && hiddenName(twin)
      if (schema === undefined) return []
      if (name === undefined) return former ? [whereHidden(table, former, [dropped(table, former)])] : []
      const create = sql`create index ${named(index)} on ${named(table)} using gist (${sql.id(name)})`
      if (isNew) return [create]
      if (twin === undefined || former === undefined) return []
      const alter = sql`alter table ${named(table)}`
      const isSame = twin.spatial?.srid === index.spatial?.srid
      const renamed =
        former === name ? [] : [sql`${alter} rename column ${sql.id(former)} to ${sql.id(name)}`]
      const anew = [dropped(table, former), sql`${alter} add column ${this.column(table, index) ?? nothing}`]
      return [whereHidden(table, former, [...(isSame ? renamed : anew), create])]
    },
    drop(table, index, twin) {
      if (twin !== undefined) return [sql`drop index if exists ${named(index)}`]
      const name = columnName(table, index)
      return name === undefined ? [] : [dropped(table, name)]
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

const HIDDEN = '__geom'

const dropped = (table: Table, name: string): Sql =>
  sql`alter table ${named(table)} drop column if exists ${sql.id(name)}`

/** Runs statements where a table has the hidden column: no field is generated. */
const whereHidden = (table: Table, name: string, statements: readonly Sql[]): Sql =>
  sql`do $svc$ begin if exists (select from pg_attribute where attrelid = ${sql.lit(`"${table.name}"`)}::regclass and attname = ${sql.lit(name)} and attgenerated = 's') then ${sql.join(statements, sql`; `)}; end if; end $svc$`

/** What the hidden column of an index is called; undefined where that would be too long. */
function hiddenName({ columns }: Index): string | undefined {
  const name = `${columns[0]?.name}${HIDDEN}`
  return name.length > MAX_NAME ? undefined : name
}

/** The hidden column of an index; undefined where a field has its name, or it would be too long. */
function columnName({ columns }: Table, index: Index): string | undefined {
  const name = hiddenName(index)
  return columns.some((column) => column.name === name) ? undefined : name
}
