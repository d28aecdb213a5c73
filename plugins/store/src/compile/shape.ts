import { createHash } from 'node:crypto'
import type { Column, ColumnKind, Contains, ScalarType, SpatialCondition, Table, Value } from '../plan.ts'
import { kindsOf } from './columns.ts'
import type { Bound, Dialect } from './dialect.ts'
import { isMany } from './many.ts'
import { bind } from './values.ts'

/**
 * What one walk over a plan finds: `key`, equal for plans that have the same SQL, and the values in the order
 * in which that SQL takes them.
 */
export class Shape {
  key: string
  readonly values: Bound[] = []
  /** How many comparisons with a column the condition holds. */
  comparisons = 0
  /** Whether it compares with a list of many values. */
  hasMany = false
  readonly #dialect: Dialect

  constructor(kind: string, dialect: Dialect) {
    this.key = kind
    this.#dialect = dialect
  }

  get dialect(): Dialect {
    return this.#dialect
  }

  columns(columns: readonly Column[]): void {
    this.key += namesOf(columns)
  }

  /** A table beside the plan's own: another type of a column makes another statement. */
  other(table: Table): void {
    this.key += `${JSON.stringify(table.name)} ${kindsOf(table)};`
  }

  /** A value; `of` is the key of the row that it is written to, where values of the table are bound to that. */
  value(column: Column, value: Value, of?: string): void {
    this.values.push(bind(this.#dialect.encode, column, value, of))
  }

  list(column: Column, values: readonly Value[]): void {
    this.#count(values)
    this.values.push(this.#dialect.list(values.map((value) => bind(this.#dialect.encode, column, value))))
  }

  /** Values of a column in many rows, as one parameter; `owners` are the keys of the rows where values are bound to these. */
  written(column: Column, values: readonly Value[], owners: readonly (string | undefined)[]): void {
    const { encode, list } = this.#dialect
    this.values.push(list(values.map((value, at) => bind(encode, column, value, owners[at]))))
  }

  /** A value that a column is compared with; what is long, by its beginning first. */
  compared(column: Column, value: Value): void {
    const longTexts = column.long && this.#dialect.longTexts
    if (longTexts) this.values.push(longTexts.cut(String(value)))
    this.value(column, value)
  }

  /** The same for many values. */
  comparedAll(column: Column, values: readonly Value[]): void {
    const longTexts = column.long && this.#dialect.longTexts
    if (longTexts) this.values.push(this.#dialect.list(values.map((value) => longTexts.cut(String(value)))))
    this.list(column, values)
  }

  /** A value, or many for one parameter. */
  scalars(type: ScalarType, value: Value): void {
    const encode = this.#dialect.encode[KINDS[type]]
    if (value === null) this.values.push(null)
    else if (isList(value)) {
      this.#count(value)
      this.values.push(this.#dialect.list(value.map((one) => (one === null ? null : encode(one)))))
    } else this.values.push(encode(value))
  }

  zone(zone: string): void {
    this.values.push(...this.#dialect.scalar.zone(zone))
  }

  search(search: Contains): void {
    const { by, values } = this.#dialect.search.bind(search)
    this.key += `${by} `
    this.columns(search.columns)
    this.values.push(...values)
  }

  spatial(condition: SpatialCondition): void {
    const { by, column, srid, isBox, found } = condition
    this.key += `${by} ${column.name} ${srid} ${isBox} ${found?.index.name} `
    this.values.push(...this.#dialect.spatial.bind(condition))
  }

  pattern(pattern: string): void {
    this.values.push(pattern.toLowerCase())
  }

  /** A number of rows to answer or to pass over. */
  rows(what: 'limit' | 'offset', count: number): void {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new RangeError(`${what} must be a whole number from 0 to 2^53-1, not ${String(count)}`)
    }
    this.key += ` ${what}`
    this.values.push(count)
  }

  #count(values: readonly Value[]): void {
    if (!isMany(values)) return
    this.hasMany = true
    this.key += 'many '
  }
}

/** What stands for a list of columns: their names, or a short text that is worked out once where the list never changes. */
function namesOf(columns: readonly Column[]): string {
  const known = remembered.get(columns)
  if (known !== undefined) return known
  let names = ''
  for (const column of columns) names += `${column.name},`
  if (columns.length < 2 || !Object.isFrozen(columns)) return names
  // The key is looked up for every call, which takes as long as it is.
  const short = `#${createHash('sha256').update(names).digest('base64url').slice(0, 22)},`
  remembered.set(columns, short)
  return short
}

const remembered = new WeakMap<readonly Column[], string>()

/** The kind of column that a scalar's values are encoded as. */
const KINDS = { text: 'text', number: 'float', boolean: 'boolean' } as const satisfies Record<
  ScalarType,
  ColumnKind
>

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)
