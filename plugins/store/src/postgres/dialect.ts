import { sql } from 'kysely'
import type { Bound, Dialect, Sql } from '../compile/dialect.ts'
import { named, PARAMETER } from '../compile/form.ts'
import { ENCODE } from '../compile/values.ts'
import type { Column, ColumnKind } from '../plan.ts'
import { timeZone } from '../time-zone.ts'
import { postgresAggregates } from './aggregates.ts'
import { beginningOf, byCodePoint, exactSum, postgresFunctions } from './functions.ts'
import { longTexts } from './long-texts.ts'
import { storedName, StoredNamesCompiler } from './names.ts'
import { postgresSearch } from './search.ts'

/** What this database can do beyond what every PostgreSQL can. */
export interface Features {
  /** The collation that lower-cases all of Unicode; without ICU the database's own. */
  readonly lowerCollation: string
  /** The schema of the extension `pg_trgm`; undefined where this server has none. */
  readonly trigramSchema: string | undefined
}

/** SQL as PostgreSQL has it. Text compares by code point by the collation of its columns. */
export function postgresDialect(features: Features): Dialect {
  const { lowerCollation } = features
  const functions = postgresFunctions(lowerCollation)
  return {
    features: new Set(['skipLocked', 'gist'] as const),
    createCompiler: () => new StoredNamesCompiler(),
    answered: (column) =>
      storedName(column.name) === column.name
        ? named(column)
        : sql`${named(column)} as ${sql.raw(`"${column.name}"`)}`,
    type: {
      text: sql.raw('text collate "C"'),
      integer: sql.raw('bigint'),
      decimal: sql.raw('numeric'),
      float: sql.raw('double precision'),
      boolean: sql.raw('boolean'),
      date: sql.raw('date'),
      time: sql.raw('time(3)'),
      datetime: sql.raw('timestamptz(3)'),
      uuid: sql.raw('uuid'),
      json: sql.raw('jsonb'),
    },
    encode: ENCODE,
    // The parsers of the pool answer JSON values.
    decode: {
      text: undefined,
      integer: undefined,
      decimal: undefined,
      float: undefined,
      boolean: undefined,
      date: undefined,
      time: undefined,
      datetime: undefined,
      uuid: undefined,
      json: undefined,
    },
    text: () => undefined,
    list: (values: readonly Bound[]) => values,
    isIn(column: Sql, list: Sql, negated: boolean) {
      return sql`${column} ${sql.raw(negated ? '<> all' : '= any')}(${list})`
    },
    isLike(column: Column, pattern: Sql, negated: boolean) {
      const text = column.kind === 'text' ? named(column) : sql`${named(column)}::text`
      const like = isLike(text, pattern, lowerCollation)
      return negated ? sql`not ${like}` : like
    },
    scalar: {
      column: (column) => SCALARS[column.kind](named(column)),
      value: (type) => sql`${PARAMETER}::${TYPES[type]}`,
      list: (type) => sql`${PARAMETER}::${TYPES[type]}[]`,
      same: (left, right) => sql`${left} is not distinct from ${right}`,
      byCodePoint,
      like: (text, pattern) => isLike(text, pattern, lowerCollation),
      call: (name, args) => functions[name](...args),
      count: (value) => sql`count(${value})::float8`,
      sum: exactSum,
      truncate: (unit, at, isZoned) => beginningOf(unit, at, isZoned ? ZONE : []),
      zone(zone) {
        const { starts, offsets } = timeZone(zone)
        return [starts, offsets]
      },
    },
    aggregate: postgresAggregates,
    search: postgresSearch(features),
    /** Columns without nulls keep the server's own order, which is that of a primary key's index. */
    key(value, nullable, descending) {
      const direction = descending ? sql` desc` : sql``
      const nulls = nullable ? sql.raw(descending ? ' nulls last' : ' nulls first') : sql``
      return sql`${value}${direction}${nulls}`
    },
    longTexts,
    limit: PARAMETER,
    lock: sql` for update`,
    sharedLock: sql` for key share`,
    foreignKeysInline: false,
    // Foreign keys of other tables that point here go with the table; their columns stay.
    dropTable: sql` cascade`,
  }
}

const isLike = (text: Sql, pattern: Sql, lowerCollation: string): Sql =>
  sql`lower(${text} collate ${sql.id(lowerCollation)}) like ${pattern} escape ''`

/** The parameters of a time zone. */
const ZONE = [sql`${PARAMETER}::float8[]`, sql`${PARAMETER}::float8[]`]

const TYPES = { text: sql.raw('text'), number: sql.raw('float8'), boolean: sql.raw('boolean') } as const

const double = (column: Sql): Sql => sql`${column}::float8`
const text = (column: Sql): Sql => sql`${column}::text`
const asIs = (column: Sql): Sql => column

/** How a column of each kind becomes text, number or boolean. The session writes dates as ISO 8601 does. */
const SCALARS: Readonly<Record<ColumnKind, (column: Sql) => Sql>> = {
  text: asIs,
  integer: double,
  decimal: double,
  float: asIs,
  boolean: asIs,
  date: text,
  time: text,
  datetime: (column) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  uuid: text,
  json: asIs,
}
