import { sql } from 'kysely'
import type { SpatialDialect, Sql } from '../compile/dialect.ts'
import { named, PARAMETER } from '../compile/form.ts'
import type { Index, SpatialRelation, Table } from '../plan.ts'

/** What PostgreSQL keeps of a name, in bytes. */
const MAX_NAME = 63

const FUNCTIONS = { intersects: 'st_intersects', within: 'st_within' } as const satisfies Record<
  SpatialRelation,
  string
>

/**
 * Geometries by PostGIS 3 (https://postgis.net/docs), whose objects stand in `schema`. A table that is new has a generated
 * column `<field>__geom` with an index of the method gist; elsewhere each value is read anew for each comparison.
 */
export function postgresSpatial(schema: string | undefined): SpatialDialect {
  const call = (name: string, ...args: readonly Sql[]): Sql =>
    sql`${sql.id(schema ?? '', name)}(${sql.join(args)})`

  /** A geometry in two dimensions, before it is valid. */
  const read = (json: Sql, srid: number): Sql =>
    call('st_force2d', call('st_setsrid', call('st_geomfromgeojson', json), sql.lit(srid)))

  /** What belongs to a collection counts once: parts that lie over or beside each other are one. */
  const valid = (geometry: Sql): Sql => {
    const made = call('st_makevalid', geometry)
    return sql`case when ${call('geometrytype', geometry)} = 'GEOMETRYCOLLECTION' then ${call('st_unaryunion', made)} else ${made} end`
  }

  return {
    column(table, index) {
      const name = columnName(table, index)
      const [of] = index.columns
      if (schema === undefined || name === undefined || of === undefined || !index.spatial) return undefined
      const { srid } = index.spatial
      const type = sql`${sql.id(schema, 'geometry')}(Geometry, ${sql.lit(srid)})`
      return sql`${sql.id(name)} ${type} generated always as (${valid(read(named(of), srid))}) stored`
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
    bind: ({ area }) => [area],
    matches({ by, column, srid, found }) {
      const name = found && columnName(found.table, found.index)
      const area = sql`(select ${valid(sql`"~area"`)} from (select ${read(sql`${PARAMETER}::text`, srid)} as "~area" offset 0) as "~")`
      return call(FUNCTIONS[by], name ? sql.id(name) : valid(read(named(column), srid)), area)
    },
  }
}

/** The hidden column of an index; undefined where a field has its name, or it would be too long. */
function columnName({ columns }: Table, index: Index): string | undefined {
  const name = `${index.columns[0]?.name}__geom`
  return name.length > MAX_NAME || columns.some((column) => column.name === name) ? undefined : name
}
