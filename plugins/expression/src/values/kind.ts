import type { ColumnKind, Value } from '@svc/store/contract'

/** What is known of a value before it is there. Dates are texts in canonical form, told apart by their kind. */
export type Kind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'list'
  | 'object'
  | 'null'
  | 'unknown'

/** What is known of a value: its kind, or with what is inside. */
export type Known = Kind | Shape

/** A value whose inside is known. */
export type Shape = ObjectShape | ListShape | MadeShape

/** An object with these members and no others. */
export interface ObjectShape {
  readonly kind: 'object'
  readonly members: ReadonlyMap<string, Known>
  /** What it is one of, by whose rules somebody may be shown its members or not, such as a resource. */
  readonly source?: object
}

/** A list of which one thing is known of all items. */
export interface ListShape {
  readonly kind: 'list'
  readonly items: Known
}

/** A value of which nothing is known but what it was made of: whoever may not be told of that may not be told the value. */
export interface MadeShape {
  readonly kind: 'unknown'
  readonly of: readonly Origin[]
}

/** Members of values of one shape, of which another value was made. */
export interface Origin {
  /** The source of their shape. */
  readonly source: object
  readonly names: ReadonlySet<string>
  /** Whether they were come upon along a relation, so that not everybody who reads the value may read them in every record. */
  readonly isRelated: boolean
}

/** The kind alone. */
export const plainKind = (known: Known): Kind => (typeof known === 'string' ? known : known.kind)

/** What is inside; undefined where that is not known. */
export const shapeIn = (known: Known | undefined): Shape | undefined =>
  typeof known === 'object' ? known : undefined

const OF_COLUMNS = {
  text: 'text',
  integer: 'number',
  decimal: 'number',
  float: 'number',
  boolean: 'boolean',
  date: 'date',
  time: 'text',
  datetime: 'datetime',
  uuid: 'text',
  json: 'unknown',
} as const satisfies Record<ColumnKind, Kind>

/** The kind of a column's values. */
export const kindOfColumn = (column: ColumnKind): (typeof OF_COLUMNS)[ColumnKind] => OF_COLUMNS[column]

/** The kind of a value at hand; a text is never taken for a date. */
export function kindOf(value: Value): Kind {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return isList(value) ? 'list' : 'object'
}

/** Whether values of the kind are points in time. */
export const isTemporal = (kind: Kind): kind is 'date' | 'datetime' => kind === 'date' || kind === 'datetime'

/** The kind of a value that comes from one of several places. */
export function commonKind(kinds: readonly Kind[]): Kind {
  const distinct = new Set(kinds.filter((kind) => kind !== 'null'))
  const [first] = distinct
  if (first === undefined) return 'null'
  return distinct.size === 1 ? first : 'unknown'
}

/** Whether the value is a list. */
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** Whether the value is an object, which a list is not. */
export const isObject = (value: Value): value is Readonly<Record<string, Value>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
