import { brand } from '@svc/kernel'

/** How a column's values look in JSON; each store has its own type for each kind. */
export const COLUMN_KINDS = [
  'text', // string, compared by code point
  'integer', // number without fraction, exact to 2^53-1
  'decimal', // number kept as decimal digits
  'float', // number kept as a double
  'boolean',
  'date', // 'YYYY-MM-DD'
  'time', // 'HH:MM:SS', with a fraction of one to three digits where there is one, as PostgreSQL prints it
  'datetime', // 'YYYY-MM-DDTHH:MM:SS.sssZ', UTC
  'uuid', // lower-case text of RFC 9562
  'json', // any JSON value
] as const
export type ColumnKind = (typeof COLUMN_KINDS)[number]

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
/** A stored value in its JSON form, the same for every store. */
export type Value = Json

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
  readonly nullable: boolean
  /** Written by the store where an insert leaves the column out. */
  readonly default?: Value
  /** A text without a bound that an index covers. A store whose indexes have one looks it up by its beginning. */
  readonly long?: true
}

export interface Index {
  readonly name: string
  readonly columns: readonly Column[]
  readonly unique: boolean
  /** Rows that the index covers; all unless said. */
  readonly where?: Condition
  /** Finds parts of text: it serves `contains` over its columns, which are all of text, and nothing else. */
  readonly search?: true
}

export interface ForeignKey {
  readonly name: string
  readonly column: Column
  readonly references: { readonly table: string; readonly column: string }
  readonly onDelete: 'cascade' | 'restrict' | 'set null' | 'no action'
}

/** A table as plans know it: plain, frozen data. */
export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly Column[]
  readonly indexes: readonly Index[]
  readonly foreignKeys: readonly ForeignKey[]
}

/** What a scalar is worth: a number is a double; dates, times and keys are text in their JSON form. */
export type ScalarType = 'text' | 'number' | 'boolean'

/** What a column of each kind is worth as a scalar. A json column is none: all that can be asked is whether it is null. */
export const SCALAR_TYPES = {
  text: 'text',
  integer: 'number',
  decimal: 'number',
  float: 'number',
  boolean: 'boolean',
  date: 'text',
  time: 'text',
  datetime: 'text',
  uuid: 'text',
  json: undefined,
} as const satisfies Readonly<Record<ColumnKind, ScalarType | undefined>>

/**
 * The functions of scalars and what each gives. They mean the same on every store and never fail: what has a null
 * argument, is no number that a double holds, or is not defined, is null. Positions and lengths count code points.
 */
export const SCALAR_FUNCTIONS = {
  add: 'number',
  subtract: 'number',
  multiply: 'number',
  divide: 'number',
  /** Of two whole numbers up to 2^53, with the sign of the first. */
  remainder: 'number',
  negate: 'number',
  abs: 'number',
  floor: 'number',
  ceil: 'number',
  truncate: 'number',
  /** (number, digits): half away from zero, by the number's shortest decimal digits. */
  round: 'number',
  min: 'number',
  max: 'number',
  /** The number where it has no fraction. */
  whole: 'number',
  lower: 'text',
  upper: 'text',
  trim: 'text',
  length: 'number',
  /** Two texts, of `MAX_TEXT` characters together at most. */
  concat: 'text',
  /** (text, start, count): start counts from 0, neither is negative or has a fraction. */
  substring: 'text',
  /** (text, position): the character there. */
  character: 'text',
  /** (text, from, to): every `from` becomes `to`; of `MAX_TEXT` characters at most. */
  replace: 'text',
  contains: 'boolean',
  startsWith: 'boolean',
  endsWith: 'boolean',
  /** A date or datetime in its JSON form as milliseconds since 1970; a date is its midnight in UTC. */
  instant: 'number',
  /** Milliseconds since 1970 as the date they fall on; null outside of the years 1 to 9999, as below. */
  date: 'text',
  datetime: 'text',
  /** Parts of an instant in UTC. */
  year: 'number',
  month: 'number',
  day: 'number',
  hour: 'number',
  /** (instant, whole number): a day past the end of its month becomes the month's last. */
  addMonths: 'number',
} as const satisfies Readonly<Record<string, ScalarType>>
export type ScalarFunction = keyof typeof SCALAR_FUNCTIONS

/** The most characters of a text that a scalar puts together; what would be longer is null. */
export const MAX_TEXT = 1_048_576

/**
 * A value that a store works out for each row. Operands have the types that their place asks for. Comparisons and
 * `and`, `or`, `not` know a third truth value, null, as SQL has it; `same` takes null for a value. Text compares by
 * code point.
 */
export type Scalar =
  | { readonly op: 'column'; readonly column: Column }
  | { readonly op: 'value'; readonly type: ScalarType; readonly value: string | number | boolean | null }
  | { readonly op: 'call'; readonly name: ScalarFunction; readonly of: readonly Scalar[] }
  | {
      readonly op: 'compare'
      readonly by: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'same'
      readonly left: Scalar
      readonly right: Scalar
    }
  | {
      readonly op: 'in'
      readonly of: Scalar
      readonly type: ScalarType
      readonly values: readonly (string | number | boolean)[]
    }
  /** As the condition of this name. */
  | { readonly op: 'like'; readonly of: Scalar; readonly pattern: string }
  | { readonly op: 'null' | 'not'; readonly of: Scalar }
  | { readonly op: 'and' | 'or' | 'coalesce'; readonly of: readonly Scalar[] }
  /** `alternate` where the test is null too. */
  | { readonly op: 'if'; readonly test: Scalar; readonly consequent: Scalar; readonly alternate: Scalar }

/**
 * Which rows. Columns are objects of a table, never names from outside. A comparison with a null column is
 * false, but for `ne`, which holds where the column is null. `like` takes `%` and `_`, has no escape
 * character, and ignores case as Unicode lower-casing does. `not` picks exactly the other rows.
 */
export type Condition =
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition }
  | {
      readonly op: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'
      readonly column: Column
      readonly value: Exclude<Value, null>
    }
  | { readonly op: 'in'; readonly column: Column; readonly values: readonly Exclude<Value, null>[] }
  | { readonly op: 'like'; readonly column: Column; readonly pattern: string }
  | { readonly op: 'null'; readonly column: Column }
  | { readonly op: 'always' | 'never' }
  | Contains
  /** The scalar is exactly true. `holds()` makes a condition that an index can help with, where there is one. */
  | { readonly op: 'holds'; readonly scalar: Scalar }
  /** Another table has a row that meets `where` and has, in its own columns, the values of this row. */
  | {
      readonly op: 'exists'
      readonly table: Table
      readonly on: readonly (readonly [inner: Column, outer: Column])[]
      readonly where: Condition
    }

/**
 * One of `columns` of `table`, the plan's own, contains `text`, whatever the case of both. A search index of the table
 * helps where it has one; the rows are the same without it.
 */
export interface Contains {
  readonly op: 'contains'
  readonly table: Table
  readonly columns: readonly Column[]
  readonly text: string
}

/** Nulls come first ascending and last descending. */
export interface Order {
  readonly column: Column
  readonly descending: boolean
}

export interface SelectPlan {
  readonly table: Table
  readonly columns: readonly Column[]
  /**
   * Columns that each row answers in this order as the text of one JSON object, under the name `TEXT`: what leaves as
   * it is read needs to become no values before.
   */
  readonly text?: readonly Column[]
  /** Answers equal rows once; the order names columns of the answer alone. */
  readonly distinct?: boolean
  readonly where: Condition
  readonly order: readonly Order[]
  readonly limit?: number
  readonly offset?: number
  /** Reads the rows through another table, once for each of its rows that leads to them. */
  readonly through?: Through
  /**
   * Holds the rows until the transaction ends: against all who would write or hold them too, or as `shared` against
   * those alone who would remove them or hold them against all.
   */
  readonly lock?: boolean | 'shared'
}

/** A table between two others. Conditions and orders of the plan speak of the plan's own table alone. */
export interface Through {
  readonly table: Table
  /** The column whose value every row carries along, under the name `CARRIED`. */
  readonly carry: Column
  readonly on: readonly [through: Column, own: Column]
  /** Which rows of `table` lead on. */
  readonly where: Condition
}

/** The name of the text that rows bring where a plan asks for one; no column has it. */
export const TEXT = '~text'

/** The name of the value that rows bring from the table that they were read through; no column has it. */
export const CARRIED = '~carried'

export interface CountPlan {
  readonly table: Table
  readonly where: Condition
}

/** A row under its columns' names. */
export type Row = Readonly<Record<string, Value>>

/** A write that may be the last of its transaction. */
export interface Closing {
  /** Nothing follows it: the transaction may be over, and durable, before its work is. */
  readonly last?: boolean
}

export interface InsertPlan extends Closing {
  readonly table: Table
  /** Columns that are left out take the column's default. */
  readonly values: Row
  /** `ignore`: a row whose key or unique index is taken is left out, and the count says 0. */
  readonly onConflict?: 'ignore'
}

/** Rows that all fill the same columns. */
export interface InsertRowsPlan {
  readonly table: Table
  readonly rows: readonly Row[]
  /** `ignore`: rows whose key or unique index is taken are left out, and the count passes them over. */
  readonly onConflict?: 'ignore'
}

/** Adds to a number in place, so that two writers never lose a step. */
export class Increment {
  static {
    brand(this, 'Increment')
  }

  readonly by: number

  constructor(by: number) {
    this.by = by
  }
}

export interface UpdatePlan extends Closing {
  readonly table: Table
  readonly set: Readonly<Record<string, Value | Increment>>
  /** At least one comparison: a plan that would touch every row is refused. */
  readonly where: Condition
  /** Columns of the changed rows to answer, as they are afterwards. */
  readonly returning?: readonly Column[]
}

export interface RemovePlan {
  readonly table: Table
  readonly where: Condition
}

/**
 * One change of the schema, in words that every store has SQL for. A new table comes with its indexes and foreign
 * keys, a new column with its foreign keys; what is dropped takes its indexes along.
 */
export type SchemaStep =
  | { readonly kind: 'createTable' | 'dropTable'; readonly table: Table }
  | { readonly kind: 'renameTable'; readonly table: Table; readonly to: string }
  | { readonly kind: 'addColumn' | 'dropColumn'; readonly table: Table; readonly column: Column }
  | { readonly kind: 'renameColumn'; readonly table: Table; readonly column: Column; readonly to: string }
  | { readonly kind: 'createIndex' | 'dropIndex'; readonly table: Table; readonly index: Index }
  /** The table, whose own foreign keys are those before the step, has these ones after it. */
  | { readonly kind: 'setForeignKeys'; readonly table: Table; readonly foreignKeys: readonly ForeignKey[] }
