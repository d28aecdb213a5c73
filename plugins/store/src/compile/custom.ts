import { sql } from 'kysely'
import type { Column, Condition, Fragment, Operator, ScalarType, Writing } from '../plan.ts'
import type { Dialect, Sql } from './dialect.ts'
import { named, nothing, PARAMETER } from './form.ts'
import { assertPlain } from './plain.ts'
import type { Shape } from './shape.ts'

type Custom = Extract<Condition, { op: 'custom' }>

/** Adds what a plugin compares to the shape of its plan, its values in the order of their places. */
export function readCustom({ operator, columns, values }: Custom, shape: Shape): void {
  columns.forEach(assertPlain)
  if (columns.length > 0) shape.comparisons += 1
  shape.key += `custom ${numberOf(operator)} `
  shape.columns(columns)
  for (const place of writingOf(operator, shape.dialect).places) {
    if ('column' in place) continue
    const value = values[place.value]
    if (value === undefined) throw new Error(`'${operator.name}' has no value ${place.value}`)
    shape.scalars(typeOfValue(value), value)
  }
}

const typeOfValue = (value: string | number | boolean): ScalarType =>
  typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean'

/** What a plugin compares, with a parameter at each place of a value. */
export const writeCustom = ({ operator, columns }: Custom, dialect: Dialect): Sql =>
  write(writingOf(operator, dialect), columns, () => PARAMETER)

/** What stands behind the table in the statement of an index; undefined where this store has no such index. */
export function writeIndexed(
  writings: readonly Writing[],
  columns: readonly Column[],
  dialect: Dialect,
): Sql | undefined {
  const found = fitting(writings, dialect)
  return found && write(found, columns, () => refuse())
}

function write({ texts, places }: Fragment, columns: readonly Column[], value: () => Sql): Sql {
  const parts = texts.flatMap((text, number) => {
    const place = places[number]
    if (place === undefined) return [sql.raw(text)]
    return [sql.raw(text), 'column' in place ? columnAt(columns, place.column) : value()]
  })
  return sql.join(parts, nothing)
}

function columnAt(columns: readonly Column[], number: number): Sql {
  const column = columns[number]
  if (column === undefined)
    throw new Error(`a fragment has a place for a column ${number}, which is not there`)
  return named(column)
}

function refuse(): never {
  throw new Error('an index has no values')
}

function writingOf(operator: Operator, dialect: Dialect): Fragment {
  const found = fitting(operator.writings, dialect)
  if (found !== undefined) return found
  throw new Error(`this store cannot compare by '${operator.name}': ask for its features first`)
}

const fitting = (writings: readonly Writing[], { features }: Dialect): Fragment | undefined =>
  writings.find(({ needs }) => needs === undefined || features.has(needs))?.sql

const numbers = new WeakMap<Operator, number>()
let last = 0

/** Tells operators apart, whatever they are called. */
function numberOf(operator: Operator): number {
  const known = numbers.get(operator)
  if (known !== undefined) return known
  last += 1
  numbers.set(operator, last)
  return last
}
