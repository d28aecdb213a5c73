import type { Column, ColumnKind } from './column.ts'
import type { Fold, Related, RelatedOrder } from './related.ts'

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
  /** By the decimal digits, as `ARITHMETIC` has them; so are the three below. */
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

/** The units of a calendar. */
export const CALENDAR_UNITS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type CalendarUnit = (typeof CALENDAR_UNITS)[number]

/** Parts of an hour, of which every one begins at the same time in UTC as by most clocks there are. */
export const SLOT_UNITS = ['hour', 'quarterHour', 'minute'] as const
export type SlotUnit = (typeof SLOT_UNITS)[number]

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
  /** What `of` is in the first of the related rows, null where there is none. Without an order there is one at most. */
  | {
      readonly op: 'lookup'
      readonly related: Related
      readonly of: Scalar
      readonly order: readonly RelatedOrder[]
    }
  /** What all related rows come to. */
  | { readonly op: 'fold'; readonly by: Fold; readonly related: Related; readonly of: Scalar }
  /** Whether there is a related row; never null. */
  | { readonly op: 'some'; readonly related: Related }
  /**
   * The beginning of the calendar unit that an instant, in milliseconds since 1970, falls in, as text: of an hour the
   * instant as a datetime has it, of longer units the date. Weeks begin on Monday. `zone` is a name of IANA, by whose
   * clocks it is told, UTC unless said: it counts for the years 1970 to 2099, others go by the nearest of these. Null
   * outside of the years 1 to 9999.
   */
  | { readonly op: 'truncate'; readonly unit: CalendarUnit; readonly zone?: string; readonly of: Scalar }
  /** The hour, or part of one, in UTC that a value of a datetime column falls in: its beginning as a datetime. It costs next to nothing. */
  | { readonly op: 'slot'; readonly unit: SlotUnit; readonly column: Column }
  /**
   * How many bytes the values of columns have as text, all together; none where they are null. A store knows it of texts without
   * reading them; of JSON it may count spaces.
   */
  | { readonly op: 'bytes'; readonly columns: readonly Column[] }
  /** `alternate` where the test is null too. */
  | { readonly op: 'if'; readonly test: Scalar; readonly consequent: Scalar; readonly alternate: Scalar }

/** What a scalar is worth. */
export function typeOf(scalar: Scalar): ScalarType {
  switch (scalar.op) {
    case 'column':
      return SCALAR_TYPES[scalar.column.kind] ?? 'text'
    case 'value':
      return scalar.type
    case 'call':
      return SCALAR_FUNCTIONS[scalar.name]
    case 'if':
      return typeOf(scalar.consequent)
    case 'coalesce':
      return scalar.of[0] === undefined ? 'text' : typeOf(scalar.of[0])
    case 'lookup':
      return typeOf(scalar.of)
    case 'fold':
      return scalar.by === 'count' ? 'number' : typeOf(scalar.of)
    case 'truncate':
    case 'slot':
      return 'text'
    case 'bytes':
      return 'number'
    default:
      return 'boolean'
  }
}
