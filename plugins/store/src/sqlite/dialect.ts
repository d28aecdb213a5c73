import { sql, SqliteQueryCompiler } from 'kysely'
import type { Bound, Dialect, Sql } from '../compile/dialect.ts'
import { named, nothing, PARAMETER } from '../compile/form.ts'
import { ENCODE } from '../compile/values.ts'
import { type Column, SCALAR_TYPES, type ScalarFunction, type StoreFeature } from '../plan.ts'
import { timeZone } from '../time-zone.ts'
import { functionName } from './functions.ts'
import { jsonText } from './text.ts'
import { sqliteSearch } from './search.ts'
import { sqliteSpatial } from './spatial.ts'

const TEXT = sql.raw('text')
const INTEGER = sql.raw('integer')

/** Every connection has the functions of scalars under names of their own. */
const call = (name: ScalarFunction, args: readonly Sql[]): Sql =>
  sql`${sql.raw(functionName(name))}(${sql.join(args)})`

/** A datetime is text, whose first letters say all. */
const SLOTS = {
  hour: (at: Sql) => sql`(substr(${at}, 1, 13) || ':00:00.000Z')`,
  quarterHour: (at: Sql) =>
    sql`(substr(${at}, 1, 14) || case when substr(${at}, 15, 2) < '15' then '00' when substr(${at}, 15, 2) < '30' then '15' when substr(${at}, 15, 2) < '45' then '30' else '45' end || ':00.000Z')`,
  minute: (at: Sql) => sql`(substr(${at}, 1, 16) || ':00.000Z')`,
}

const SUM = sql.raw(functionName('sum'))

const lower = (text: Sql): Sql => call('lower', [text])

const isIn = (column: Sql, list: Sql, negated: boolean): Sql =>
  sql`${column} ${sql.raw(negated ? 'not in' : 'in')} (select value from json_each(${list}))`

const isNumber = ({ kind }: Column): boolean => SCALAR_TYPES[kind] === 'number'

/**
 * SQL as SQLite has it. Text compares by bytes, which in UTF-8 is by code point; nulls are the smallest. Tables
 * keep their row ids: without them a read by key gains a tenth, and a deep page of 540-byte rows takes 28 times
 * as long.
 */
export const sqliteDialect = (features: ReadonlySet<StoreFeature>): Dialect => ({
  features,
  createCompiler: () => new SqliteQueryCompiler(),
  answered: named,
  type: {
    text: TEXT,
    integer: INTEGER,
    decimal: sql.raw('numeric'),
    float: sql.raw('real'),
    boolean: INTEGER,
    date: TEXT,
    time: TEXT,
    datetime: TEXT,
    uuid: TEXT,
    json: TEXT,
  },
  numbered: { type: sql.raw('integer primary key autoincrement'), isKey: true },
  encode: { ...ENCODE, boolean: (value) => Number(ENCODE.boolean(value)) },
  decode: {
    text: undefined,
    integer: undefined,
    decimal: undefined,
    float: undefined,
    boolean: (value) => value === 1,
    date: undefined,
    time: undefined,
    datetime: undefined,
    uuid: undefined,
    json: (value) => JSON.parse(String(value)),
  },
  text: jsonText,
  list: (values: readonly Bound[]) => JSON.stringify(values),
  isIn,
  isNoneOf: (column, _, list) => isIn(column, list, true),
  isLike(column: Column, pattern: Sql, negated: boolean) {
    return sql`${lower(named(column))} ${sql.raw(negated ? 'not like' : 'like')} ${pattern}`
  },
  scalar: {
    column: (column) => (isNumber(column) ? sql`cast(${named(column)} as real)` : named(column)),
    value: (type) => (type === 'number' ? sql`cast(${PARAMETER} as real)` : PARAMETER),
    list: () => PARAMETER,
    same: (left, right) => sql`${left} is ${right}`,
    byCodePoint: (text) => text,
    like: (text, pattern) => sql`${lower(text)} like ${pattern}`,
    call,
    count: (value) => sql`cast(count(${value}) as real)`,
    sum: (number, rows) => sql`(select ${SUM}(${number}) ${rows})`,
    truncate: (unit, at, isZoned) =>
      sql`${sql.raw(functionName('beginningOf'))}(${sql.lit(unit)}, ${at}${isZoned ? sql`, ${PARAMETER}` : nothing})`,
    slot: (unit, column) => SLOTS[unit](named(column)),
    bytes: (column) => sql`octet_length(${named(column)})`,
    text: (datetime) => datetime,
    zone(zone) {
      timeZone(zone)
      return [zone]
    },
  },
  aggregate: {
    addend: (number) => number,
    sum: (addends) => sql`iif(count(${addends}) = 0, null, ${SUM}(${addends}))`,
    average: (addends) => sql`${sql.raw(functionName('average'))}(${addends})`,
  },
  search: sqliteSearch,
  spatial: sqliteSpatial(features),
  key: (value, _, descending) => (descending ? sql`${value} desc` : value),
  longTexts: undefined,
  // A bare parameter has SQLite plan the statement again for every number that it is given, which takes longer than to
  // run it.
  limit: sql`(${PARAMETER} | 0)`,
  lock: nothing,
  sharedLock: nothing,
  foreignKeysInline: true,
  dropTable: nothing,
})
