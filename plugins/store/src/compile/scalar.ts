import { sql } from 'kysely'
import { type Column, type Condition, type Scalar, typeOf } from '../plan.ts'
import type { Dialect, Sql } from './dialect.ts'
import { chained, named, PARAMETER } from './form.ts'
import { assertPlain } from './plain.ts'
import type { Shape } from './shape.ts'

/** A scalar over the rows of another table. */
export type OfRelated = Extract<Scalar, { op: 'lookup' | 'fold' | 'some' }>

/** Adds the condition on related rows to the shape. */
type ReadWhere = (where: Condition, shape: Shape) => void

/** Adds a scalar to the shape of its plan, its values in the order in which `writeScalar` takes them. */
export function readScalar(scalar: Scalar, shape: Shape, readWhere: ReadWhere): void {
  switch (scalar.op) {
    case 'column':
      assertPlain(scalar.column)
      shape.comparisons += 1
      shape.key += `c ${scalar.column.name};`
      return
    case 'slot':
      assertPlain(scalar.column)
      if (scalar.column.kind !== 'datetime') throw new Error(`'${scalar.column.name}' has no hours`)
      shape.comparisons += 1
      shape.key += `slot ${scalar.unit} ${scalar.column.name};`
      return
    case 'bytes':
      shape.comparisons += 1
      shape.key += 'bytes '
      return shape.columns(scalar.columns)
    case 'null':
      shape.key += 'null'
      return readTested(scalar.of, shape, readWhere)
    case 'value':
      shape.key += `v ${scalar.type};`
      return shape.scalars(scalar.type, scalar.value)
    case 'in':
      shape.key += `in ${scalar.type}`
      readParts([scalar.of], shape, readWhere)
      return shape.scalars(scalar.type, scalar.values)
    case 'like':
      shape.key += 'like'
      readParts([scalar.of], shape, readWhere)
      return shape.pattern(scalar.pattern)
    case 'call':
      shape.key += scalar.name
      return readParts(scalar.of, shape, readWhere)
    case 'truncate':
      shape.key += `${scalar.unit}${scalar.zone === undefined ? '' : '@'}`
      readParts([scalar.of], shape, readWhere)
      if (scalar.zone !== undefined) shape.zone(scalar.zone)
      return
    case 'compare':
      shape.key += scalar.by
      return readParts([scalar.left, scalar.right], shape, readWhere)
    case 'lookup':
    case 'fold':
    case 'some':
      return readRelated(scalar, shape, readWhere)
    default:
      shape.key += scalar.op
      return readParts(partsOf(scalar), shape, readWhere)
  }
}

function readParts(parts: readonly Scalar[], shape: Shape, readWhere: ReadWhere): void {
  shape.key += '('
  for (const part of parts) readScalar(part, shape, readWhere)
  shape.key += ')'
}

/** Of every column it can be asked whether it is null. */
function readTested(scalar: Scalar, shape: Shape, readWhere: ReadWhere): void {
  if (scalar.op !== 'column') return readParts([scalar], shape, readWhere)
  shape.comparisons += 1
  shape.key += `(c ${scalar.column.name};)`
}

function readRelated(scalar: OfRelated, shape: Shape, readWhere: ReadWhere): void {
  const { table, on, where } = scalar.related
  shape.comparisons += 1
  shape.key += `${scalar.op} ${scalar.op === 'fold' ? scalar.by : ''} `
  shape.other(table)
  on.forEach(assertPlain)
  shape.key += `${on[0].name}=${on[1].name}(`
  if (scalar.op !== 'some') readScalar(scalar.of, shape, readWhere)
  shape.key += '|'
  readWhere(where, shape)
  if (scalar.op === 'lookup')
    for (const { by, descending } of scalar.order) {
      shape.key += descending ? '-' : '+'
      readScalar(by, shape, readWhere)
    }
  shape.key += ')'
}

/** The scalars right below a scalar, in the order of their SQL. */
export function partsOf(scalar: Scalar): readonly Scalar[] {
  switch (scalar.op) {
    case 'column':
    case 'slot':
    case 'bytes':
    case 'value':
    case 'some':
      return []
    case 'compare':
      return [scalar.left, scalar.right]
    case 'if':
      return [scalar.test, scalar.consequent, scalar.alternate]
    case 'null':
    case 'not':
    case 'in':
    case 'like':
    case 'lookup':
    case 'fold':
    case 'truncate':
      return [scalar.of]
    default:
      return scalar.of
  }
}

const OPERATORS = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** The scalar with a parameter for each value; `related` writes those over other tables. */
export function writeScalar(scalar: Scalar, dialect: Dialect, related: (scalar: OfRelated) => Sql): Sql {
  const write = (part: Scalar): Sql => writeScalar(part, dialect, related)
  switch (scalar.op) {
    case 'column':
      return dialect.scalar.column(scalar.column)
    case 'value':
      return dialect.scalar.value(scalar.type)
    case 'call':
      return dialect.scalar.call(scalar.name, scalar.of.map(write))
    case 'compare':
      return compare(scalar, write, dialect)
    case 'in':
      return sql`(${dialect.isIn(write(scalar.of), dialect.scalar.list(scalar.type), false)})`
    case 'like':
      return sql`(${dialect.scalar.like(write(scalar.of), PARAMETER)})`
    case 'lookup':
    case 'fold':
    case 'some':
      return related(scalar)
    case 'truncate':
      return dialect.scalar.truncate(scalar.unit, write(scalar.of), scalar.zone !== undefined)
    case 'slot':
      return dialect.scalar.text(dialect.scalar.slot(scalar.unit, scalar.column))
    case 'bytes':
      return bytesOf(scalar.columns, dialect)
    case 'null':
      // As it is kept: what is tested may be sealed.
      return sql`(${scalar.of.op === 'column' ? named(scalar.of.column) : write(scalar.of)} is null)`
    case 'not':
      return sql`(not ${write(scalar.of)})`
    case 'and':
    case 'or':
      return chained(scalar.of.map(write), scalar.op)
    case 'coalesce':
      return sql`coalesce(${sql.join(scalar.of.map(write))})`
    case 'if':
      return sql`(case when ${write(scalar.test)} then ${write(scalar.consequent)} else ${write(scalar.alternate)} end)`
  }
}

const bytesOf = (columns: readonly Column[], dialect: Dialect): Sql =>
  sql`(${sql.join(
    columns.map((column) => sql`coalesce(${dialect.scalar.bytes(column)}, 0)`),
    sql.raw(' + '),
  )})`

type Compare = Extract<Scalar, { op: 'compare' }>

function compare({ by, left, right }: Compare, write: (part: Scalar) => Sql, dialect: Dialect): Sql {
  if (by === 'same') return sql`(${dialect.scalar.same(write(left), write(right))})`
  const first = typeOf(left) === 'text' ? dialect.scalar.byCodePoint(write(left)) : write(left)
  return sql`(${first} ${sql.raw(OPERATORS[by])} ${write(right)})`
}
