import { sql } from 'kysely'
import type { SpatialDialect, Sql } from '../compile/dialect.ts'
import { listed, named, PARAMETER } from '../compile/form.ts'
import type { Bounds, Index, StoreFeature, Table } from '../plan.ts'
import { functionName } from './functions.ts'
import { rowNumber } from './search.ts'

/** Tells whether a geometry lies to an area as is asked; a connection has it where the store compares geometries. */
export const RELATES = functionName('relates')
const BOUND = sql.raw(functionName('bound'))
const PLACES = sql.raw('x0, x1, y0, y1')
/** The largest number that an R*Tree holds. */
const MAX_FLOAT = 3.4028234663852886e38
/** An R*Tree keeps numbers of 24 bits, rounded outwards: this much of one is more than that changes it. */
const ROUNDING = 2 ** -22
/** How many rows of a table are indexed by one statement. */
const FILL_ROWS = 100

/**
 * Geometries by an R*Tree of their bounds (https://www.sqlite.org/rtree.html), which triggers keep, and by a test of this
 * process for those that the tree cannot decide. `features` are those of the store, which learns that test as it starts.
 * The triggers call what every connection has.
 */
export const sqliteSpatial = (features: ReadonlySet<StoreFeature>): SpatialDialect => ({
  column: () => undefined,
  makeRoom: () => [],
  create(table, index) {
    const number = rowNumber(table)
    const [column] = index.columns
    if (!features.has('spatial') || number === undefined || column === undefined) return []
    const added = sql`${put(index)} select new.${number}, ${bounds(sql`new.${named(column)}`)} where new.${named(column)} is not null;`
    const removed = sql`delete from ${named(index)} where id = old.${number};`
    const trigger = (event: string, of: Sql, body: Sql) =>
      sql`create trigger ${sql.id(`${index.name}_${event}`)} after ${of} on ${named(table)} begin ${body} end`
    return [
      sql`create virtual table ${named(index)} using rtree(id, ${PLACES})`,
      trigger('insert', sql.raw('insert'), added),
      trigger('delete', sql.raw('delete'), removed),
      trigger('update', sql`update of ${named(column)}`, sql`${removed} ${added}`),
    ]
  },
  drop: (_, index) => [
    ...['insert', 'delete', 'update'].map(
      (event) => sql`drop trigger if exists ${sql.id(`${index.name}_${event}`)}`,
    ),
    sql`drop table if exists ${named(index)}`,
  ],
  bind({ by, area, bounds: [west, south, east, north], isBox, found }) {
    if (found === undefined) return [area]
    const [w, s, e, n] = [west, south, east, north].map(clamped) as unknown as Bounds
    const meets = [e, w, n, s]
    const narrow = by === 'within' ? [lower(w), lower(s), upper(e), upper(n)] : []
    const lies = isBox ? [w, e, s, n] : []
    return [...meets, ...narrow, ...lies, area]
  },
  matches({ by, column, isBox, found }, from) {
    const relates = (geometry: Sql): Sql =>
      sql`${sql.raw(RELATES)}(${sql.lit(by)}, ${geometry}, ${PARAMETER})`
    if (found === undefined) return relates(named(column))
    const { table, index } = found
    const number = rowNumber(table)
    const meets = sql`x0 <= ${PARAMETER} and x1 >= ${PARAMETER} and y0 <= ${PARAMETER} and y1 >= ${PARAMETER}`
    const narrow =
      by === 'within'
        ? sql` and x0 >= ${PARAMETER} and y0 >= ${PARAMETER} and x1 <= ${PARAMETER} and y1 <= ${PARAMETER}`
        : sql``
    const [least, most] = by === 'within' ? [sql.raw('>'), sql.raw('<')] : [sql.raw('>='), sql.raw('<=')]
    const lies = isBox
      ? sql`x0 ${least} ${PARAMETER} and x1 ${most} ${PARAMETER} and y0 ${least} ${PARAMETER} and y1 ${most} ${PARAMETER} or `
      : sql``
    const geometry = sql`(select ${named(column)} from ${named(table)} where ${number} = ${named(index)}.id)`
    const ids = sql`select id from ${named(index)} where ${meets}${narrow} and (${lies}${relates(geometry)})`
    return sql`${named(from)}.${number} in (${ids})`
  },
})

/** What indexes the rows of a table that are there, a few at a time: those with a number after one, up to another. */
export function fillSpatial(table: Table, index: Index): { readonly next: Sql; readonly fill: Sql } {
  const number = rowNumber(table)
  const column = named(index.columns[0]!)
  const after = sql`from ${named(table)} where ${number} > ${PARAMETER}`
  return {
    next: sql`select max(number) as number from (select ${number} as number ${after} order by 1 limit ${sql.lit(FILL_ROWS)})`,
    fill: sql`${put(index)} select ${number}, ${bounds(column)} ${after} and ${number} <= ${PARAMETER} and ${column} is not null`,
  }
}

const put = (index: Index): Sql => sql`insert into ${named(index)} (id, ${PLACES})`
/** In the order of the tree's places. */
const bounds = (geometry: Sql): Sql =>
  listed(['west', 'east', 'south', 'north'].map((side) => sql`${BOUND}(${sql.lit(side)}, ${geometry})`))

const clamped = (number: number): number => Math.max(-MAX_FLOAT, Math.min(MAX_FLOAT, number))
const lower = (number: number): number => clamped(number - Math.abs(number) * ROUNDING - Number.MIN_VALUE)
const upper = (number: number): number => clamped(number + Math.abs(number) * ROUNDING + Number.MIN_VALUE)
