import { sql } from 'kysely'
import {
  type AggregateOrder,
  type AggregatePlan,
  answerOf,
  type Column,
  type Measure,
  type Scalar,
  type Table,
  typeOf,
} from '../plan.ts'
import type { Dialect, Sql } from './dialect.ts'
import { type Form, listed, named, nothing } from './form.ts'
import { range, readRange } from './range.ts'
import { readCondition } from './read-condition.ts'
import { readScalar } from './scalar.ts'
import type { Shape } from './shape.ts'
import { writeCondition, writeScalarOf } from './where.ts'

/** The rows with what their groups and measures are made of, the groups, and those of them that are asked for. */
const ROWS = { name: '~rows' }
const GROUPS = { name: '~groups' }

/** PostgreSQL cuts off a longer name. */
const MOST_BYTES = 63

export const aggregate: Form<AggregatePlan> = {
  kind: 'aggregate ',
  read(plan, shape) {
    for (const [name, scalar] of Object.entries(plan.by)) {
      readName(name, shape)
      readScalar(scalar, shape, readCondition)
    }
    shape.key += '|'
    for (const [name, measure] of Object.entries(plan.measures)) readMeasure(name, measure, shape)
    readCondition(plan.where, shape)
    if (plan.having) {
      shape.key += 'having '
      readCondition(plan.having, shape)
    }
    for (const { by, descending, isNullZero } of plan.order ?? []) {
      readName(`${descending ? '-' : '+'}${by}`, shape)
      if (isNullZero) shape.key += '0 '
    }
    readRange(plan, shape)
  },
  write(plan, dialect) {
    const answer = columnsOf(plan)
    const having = plan.having ? sql` where ${writeCondition(plan.having, dialect, GROUPS)}` : nothing
    return sql`select ${listed(answer.map(dialect.answered))} from (${grouped(plan, dialect)}) as ${named(GROUPS)}${having}${ordered(plan, dialect)}${range(plan, dialect)}`
  },
  returned: columnsOf,
}

function readName(name: string, shape: Shape): void {
  shape.key += `${JSON.stringify(name)} `
}

function readMeasure(name: string, { fn, scalar, where }: Measure, shape: Shape): void {
  readName(name, shape)
  shape.key += `${fn}(`
  if (where !== undefined) {
    shape.key += 'where '
    readCondition(where, shape)
  }
  if (scalar !== undefined) readMeasured(fn, scalar, shape)
  shape.key += ')'
}

/** Of every column it can be counted how often it is not null. */
function readMeasured(fn: Measure['fn'], scalar: Scalar, shape: Shape): void {
  if (fn === 'count' && scalar.op === 'column') shape.columns([scalar.column])
  else readScalar(scalar, shape, readCondition)
}

/** The columns of the answer. Throws where a plan has none, or names that cannot be told apart. */
function columnsOf(plan: AggregatePlan): readonly Column[] {
  const columns = [...answerOf(plan).values()]
  const names = [...Object.keys(plan.by), ...Object.keys(plan.measures)]
  if (names.length === 0) throw new Error(`an aggregate of '${plan.table.name}' must group or measure`)
  if (columns.length < names.length) {
    throw new Error(`an aggregate of '${plan.table.name}' calls a group and a measure by the same name`)
  }
  const long = names.find((name) => Buffer.byteLength(name) > MOST_BYTES)
  if (long !== undefined) throw new Error(`a group or measure has a name of 63 bytes at most, not '${long}'`)
  return columns
}

/** One row for each group, with the values of the answer. */
function grouped(plan: AggregatePlan, dialect: Dialect): Sql {
  const keys = Object.keys(plan.by).map((name) => sql.id(name))
  const measures = Object.entries(plan.measures).map(
    ([name, { fn }]) => sql`${WRITE[fn](sql.id(name), dialect)} as ${sql.id(name)}`,
  )
  const by = keys.length === 0 ? nothing : sql` group by ${listed(keys)}`
  return sql`select ${listed([...keys, ...measures])} from (${rows(plan, dialect)}) as ${named(ROWS)}${by}`
}

/** The rows; under the name of a measure the value that it takes of each, null where the row does not count. */
function rows({ table, where, by, measures }: AggregatePlan, dialect: Dialect): Sql {
  const groups = Object.entries(by).map(
    ([name, scalar]) => sql`${operand(scalar, table, dialect)} as ${sql.id(name)}`,
  )
  const taken = Object.entries(measures).map(([name, measure]) => {
    const value = measure.scalar ? valueOf(measure.fn, measure.scalar, table, dialect) : sql`1`
    const counted = measure.where
      ? sql`case when ${writeCondition(measure.where, dialect, table)} then ${value} end`
      : value
    return sql`${counted} as ${sql.id(name)}`
  })
  const narrowed = where.op === 'always' ? nothing : sql` where ${writeCondition(where, dialect, table)}`
  return sql`select ${listed([...groups, ...taken])} from ${named(table)}${narrowed}`
}

const WRITE: Readonly<Record<Measure['fn'], (of: Sql, dialect: Dialect) => Sql>> = {
  count: (of) => sql`count(${of})`,
  countDistinct: (of) => sql`count(distinct ${of})`,
  sum: (of, dialect) => dialect.aggregate.sum(of),
  avg: (of, dialect) => dialect.aggregate.average(of),
  min: (of) => sql`min(${of})`,
  max: (of) => sql`max(${of})`,
}

function valueOf(fn: Measure['fn'], scalar: Scalar, table: Table, dialect: Dialect): Sql {
  switch (fn) {
    case 'sum':
    case 'avg':
      assertType(fn, scalar, ['number'])
      return dialect.aggregate.addend(
        operand(scalar, table, dialect),
        scalar.op === 'column' ? scalar.column.kind : undefined,
      )
    case 'min':
    case 'max':
      assertType(fn, scalar, ['number', 'text'])
      // A uuid has no least one on every server.
      return scalar.op === 'column' && scalar.column.kind === 'uuid'
        ? dialect.scalar.byCodePoint(writeScalarOf(scalar, dialect, table))
        : operand(scalar, table, dialect)
    case 'count':
      return scalar.op === 'column' ? named(scalar.column) : writeScalarOf(scalar, dialect, table)
    default:
      return operand(scalar, table, dialect)
  }
}

function assertType(fn: string, scalar: Scalar, types: readonly string[]): void {
  if (!types.includes(typeOf(scalar))) throw new Error(`'${fn}' takes ${types.join(' and ')} values`)
}

/** A column and its hours as they are kept, so that they answer as columns do; other texts by code point. */
function operand(scalar: Scalar, table: Table, dialect: Dialect): Sql {
  if (scalar.op === 'column') {
    if (scalar.column.kind !== 'json') return named(scalar.column)
    throw new Error(`the column '${scalar.column.name}' holds JSON, which is not grouped or measured`)
  }
  if (scalar.op === 'slot') return dialect.scalar.slot(scalar.unit, scalar.column)
  const written = writeScalarOf(scalar, dialect, table)
  return typeOf(scalar) === 'text' ? dialect.scalar.byCodePoint(written) : written
}

/** By what is asked for, and by the groups after that: no order is left to chance. */
function ordered(plan: AggregatePlan, dialect: Dialect): Sql {
  const columns = answerOf(plan)
  const asked: readonly AggregateOrder[] = plan.order ?? []
  const rest = Object.keys(plan.by)
    .filter((name) => !asked.some(({ by }) => by === name))
    .map((by): AggregateOrder => ({ by, descending: false }))
  const keys = [...asked, ...rest].map(({ by, descending, isNullZero }) => {
    const column = columns.get(by)
    if (column === undefined) throw new Error(`an aggregate of '${plan.table.name}' has no '${by}'`)
    return isNullZero
      ? dialect.key(sql`coalesce(${named(column)}, 0)`, false, descending)
      : dialect.key(named(column), column.nullable, descending)
  })
  return keys.length === 0 ? nothing : sql` order by ${listed(keys)}`
}
