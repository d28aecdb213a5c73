import { type QueryCompiler, type RawBuilder, sql } from 'kysely'
import type {
  CalendarUnit,
  Column,
  ColumnKind,
  Contains,
  Index,
  ScalarFunction,
  ScalarType,
  SlotUnit,
  SpatialCondition,
  StoreFeature,
  Table,
  Value,
} from '../plan.ts'

/** A piece of SQL with its parameters. */
export type Sql = RawBuilder<unknown>

/** A value as a driver takes it; a list stands for one parameter that holds many values. */
export type Bound = string | number | boolean | null | readonly Bound[]

export type Encode = (value: Exclude<Value, null>) => Bound
export type Decode = (value: Value) => Value

/** Everything in which one store's SQL differs from another's. */
export interface Dialect {
  readonly features: ReadonlySet<StoreFeature>
  createCompiler(): QueryCompiler
  /** The column of an answer, under the name that plans give it. */
  answered(column: Column): Sql
  /** The type of a column of each kind. */
  readonly type: Readonly<Record<ColumnKind, Sql>>
  /** The type of a numbered column, and whether that says by itself that the column is the key. */
  readonly numbered: { readonly type: Sql; readonly isKey: boolean }
  readonly encode: Readonly<Record<ColumnKind, Encode>>
  /** What makes the JSON form of a stored value; undefined where the driver answers it already. */
  readonly decode: Readonly<Record<ColumnKind, Decode | undefined>>
  /** The text of a JSON object of these columns; undefined where the store cannot make it, or not of these. */
  text(columns: readonly Column[]): Sql | undefined
  /** Binds a list as one parameter, so that its length is no part of the statement. */
  list(values: readonly Bound[]): Bound
  isIn(column: Sql, list: Sql, negated: boolean): Sql
  /** The opposite for a list with many values, of columns of a kind: no value is compared with its values one by one. */
  isNoneOf(column: Sql, kind: ColumnKind, list: Sql): Sql
  /** Compares the lower-cased column with a pattern that is lower-cased already. */
  isLike(column: Column, pattern: Sql, negated: boolean): Sql
  /** One key of an order or of an index, a column or what is made of it: nulls first ascending, last descending. */
  key(value: Sql, nullable: boolean, descending: boolean): Sql
  /** How indexes hold long texts; undefined where they take texts of any length as they are. */
  readonly longTexts: LongTexts | undefined
  /** The parameter of a number of rows. */
  readonly limit: Sql
  /** What holds selected rows against other writers; empty where a transaction keeps all of them out anyway. */
  readonly lock: Sql
  /** The same against those alone who would remove the rows or hold them by `lock`. */
  readonly sharedLock: Sql
  readonly scalar: ScalarDialect
  readonly aggregate: AggregateDialect
  readonly search: SearchDialect
  readonly spatial: SpatialDialect
  /** Whether a table names its foreign keys in its columns, or gets them by statements of their own. */
  readonly foreignKeysInline: boolean
  readonly dropTable: Sql
}

/** How a store whose index entries have a largest size holds texts that may be longer. */
export interface LongTexts {
  /** The beginning of a text; texts are in the order of their beginnings. */
  beginning(column: Column): Sql
  /** The beginning of a value. */
  cut(text: string): string
  /** Tells texts apart that begin alike; null where one of them is. */
  digest(columns: readonly Column[]): Sql
  /** The most beginnings that fit into one entry. */
  readonly most: number
}

/** How a store finds parts of text. */
export interface SearchDialect {
  /**
   * The statements that make a search index; none where this database knows no such index. A store whose statements
   * hold the process fills it afterwards, a few rows at a time.
   */
  create(table: Table, index: Index): readonly Sql[]
  drop(index: Index): readonly Sql[]
  /** The values that `matches` takes, and in `by` what sets its SQL apart from that of other searches. */
  bind(search: Contains): { readonly by: string; readonly values: readonly Bound[] }
  /** True for rows that match; false or null for the others. */
  matches(search: Contains, from: { readonly name: string }): Sql
}

/** Where an index comes from: with a new table, or in place of another over the same values. */
export interface IndexOrigin {
  readonly isNew?: boolean
  readonly twin?: Index | undefined
}

/** How a store finds geometries. */
export interface SpatialDialect {
  /** The column of a new table that an index of it stands on, where that is not the geometry's own. */
  column(table: Table, index: Index): Sql | undefined
  /**
   * The statements that make an index, of a table that is new or not; none where this store makes none then. A store
   * whose statements hold the process fills it afterwards, a few rows at a time.
   */
  create(table: Table, index: Index, origin: IndexOrigin): readonly Sql[]
  /** The statements that take an index away; what a `twin` goes on with stays. */
  drop(table: Table, index: Index, twin?: Index): readonly Sql[]
  /** The statements after which a column may have a name: what an index stands on may have it. */
  makeRoom(table: Table, name: string): readonly Sql[]
  /** The values that `matches` takes. */
  bind(condition: SpatialCondition): readonly Bound[]
  /** True for rows that match; false or null for the others. */
  matches(condition: SpatialCondition, from: { readonly name: string }): Sql
}

/** How a store works out scalars. */
export interface ScalarDialect {
  /** The column as text, number or boolean. */
  column(column: Column): Sql
  /** A parameter of one value. */
  value(type: ScalarType): Sql
  /** A parameter of many values. */
  list(type: ScalarType): Sql
  /** Equality that takes null for a value. */
  same(left: Sql, right: Sql): Sql
  /** A text that compares by code point with any other. */
  byCodePoint(text: Sql): Sql
  /** Compares a text with a pattern that is lower-cased already. */
  like(text: Sql, pattern: Sql): Sql
  call(name: ScalarFunction, args: readonly Sql[]): Sql
  /** How many rows have a value, as a number. */
  count(value: Sql): Sql
  /** A sub-select of the sum over `from … where …`: 0 over no rows, null past what a double holds. */
  sum(number: Sql, rows: Sql): Sql
  /** The beginning of a calendar unit; by the clocks of a zone, whose parameters come last. */
  truncate(unit: CalendarUnit, at: Sql, isZoned: boolean): Sql
  /** The hour in UTC, or part of one, of a datetime column, as the store keeps datetimes. */
  slot(unit: SlotUnit, column: Column): Sql
  /** How many bytes a column's value has as text. */
  bytes(column: Column): Sql
  /** A datetime as the store keeps it, as text. */
  text(datetime: Sql): Sql
  /** The values of those parameters. Throws RangeError where there is no such zone. */
  zone(zone: string): readonly Bound[]
}

/** How a store works out groups of rows. */
export interface AggregateDialect {
  /** A number of a column of this kind, or of a scalar, as `sum` and `average` take it. */
  addend(number: Sql, kind: ColumnKind | undefined): Sql
  /** The exact sum as the nearest double; null over nothing, and past what a double holds. */
  sum(addends: Sql): Sql
  /** The exact sum by the count, rounded half away from zero to `AVERAGE_DIGITS`; null where a sum is. */
  average(addends: Sql): Sql
}

/** The text of a JSON object of these columns as the store writes it; undefined where their values have to be read first. */
export function writtenText(columns: readonly Column[], dialect: Dialect): Sql | undefined {
  if (columns.length === 0) return sql`${sql.lit('{}')}`
  return columns.some(({ codec }) => codec !== undefined) ? undefined : dialect.text(columns)
}
