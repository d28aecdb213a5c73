import { sql } from 'kysely'
import type { Column, Condition, Contains, Scalar, Value } from '../plan.ts'
import type { Bound, Dialect, Sql } from './dialect.ts'
import { chained, named, PARAMETER } from './form.ts'
import { partsOf, readScalar, writeScalar } from './scalar.ts'
import type { Shape } from './shape.ts'
import { bind } from './values.ts'

/** Adds a condition to the shape of its plan; `negated` where its opposite is meant. */
export function readCondition(condition: Condition, shape: Shape, negated = false): void {
  const { op } = condition
  switch (op) {
    case 'and':
    case 'or':
      shape.key += `${op}(`
      for (const part of condition.of) readCondition(part, shape, negated)
      shape.key += ')'
      return
    case 'not':
      shape.key += '!'
      return readCondition(condition.of, shape, !negated)
    case 'always':
    case 'never':
      shape.key += `${op};`
      return
    case 'null':
      shape.comparisons += 1
      shape.key += `null ${condition.column.name};`
      return
    case 'like':
      shape.comparisons += 1
      shape.key += `like ${condition.column.name};`
      return shape.pattern(condition.pattern)
    case 'contains':
      shape.comparisons += 1
      shape.key += 'contains '
      return shape.search(condition)
    case 'holds':
      shape.key += 'holds '
      return readScalar(condition.scalar, shape)
    case 'exists':
      return readExists(condition, shape)
    case 'in':
      shape.comparisons += 1
      if (condition.values.length === 0) return void (shape.key += 'never;')
      shape.key += `in ${condition.column.name};`
      return negated
        ? shape.list(condition.column, condition.values)
        : shape.comparedAll(condition.column, condition.values)
    default:
      shape.comparisons += 1
      shape.key += `${op} ${condition.column.name};`
      return isFound(op, negated)
        ? shape.compared(condition.column, condition.value)
        : shape.value(condition.column, condition.value)
  }
}

type Exists = Extract<Condition, { op: 'exists' }>

function readExists({ table, on, where }: Exists, shape: Shape): void {
  shape.comparisons += 1
  shape.key += 'exists '
  shape.other(table)
  for (const [inner, outer] of on) shape.key += `${inner.name}=${outer.name},`
  shape.key += '('
  readCondition(where, shape)
  shape.key += ')'
}

/** Refuses a condition that names no rows of its own, before an UPDATE or DELETE takes the whole table. */
export function assertNarrow(
  condition: Condition,
  comparisons: number,
  table: { readonly name: string },
): void {
  if (comparisons > 0 && constantOf(condition) !== true) return
  throw new Error(`a write to '${table.name}' must say which rows: its condition compares no column`)
}

/** What a condition is for every row; undefined where that depends on the row. */
function constantOf(condition: Condition): boolean | undefined {
  switch (condition.op) {
    case 'always':
      return true
    case 'never':
      return false
    case 'in':
      return condition.values.length === 0 ? false : undefined
    case 'contains':
      return condition.columns.length === 0 ? false : undefined
    case 'holds':
      // One that reads no column is the same for every row: it may be true.
      return readsColumn(condition.scalar) ? undefined : true
    case 'not': {
      const inner = constantOf(condition.of)
      return inner === undefined ? undefined : !inner
    }
    case 'and':
    case 'or': {
      const decisive = condition.op === 'or'
      const parts = condition.of.map(constantOf)
      if (parts.includes(decisive)) return decisive
      return parts.includes(undefined) ? undefined : !decisive
    }
    default:
      return undefined
  }
}

const readsColumn = (scalar: Scalar): boolean => scalar.op === 'column' || partsOf(scalar).some(readsColumn)

/** How a condition's values reach the SQL: as parameters in a query, as literals in a schema. */
interface Operands {
  value(column: Column, value: Exclude<Value, null>): Sql
  pattern(pattern: string): Sql
  list(column: Column, values: readonly Value[], negated: boolean): Sql
  scalar(scalar: Scalar): Sql
  exists(condition: Exists): Sql
  search(search: Contains): Sql
  /** The beginning of a long text, where rows are found by that; undefined for what is compared as it is. */
  beginning(column: Column): Sql | undefined
}

/**
 * The condition with a parameter for each value, in the order of `readCondition`. `from` is the name under which the
 * statement reads the table whose columns the condition compares.
 */
export function writeCondition(condition: Condition, dialect: Dialect, from: { readonly name: string }): Sql {
  return write(condition, false, dialect, {
    value: () => PARAMETER,
    pattern: () => PARAMETER,
    list: (column, _, negated) => dialect.isIn(named(column), PARAMETER, negated),
    scalar: (scalar) => writeScalar(scalar, dialect),
    exists: (exists) => writeExists(exists, dialect, from),
    search: (search) => dialect.search.matches(search, from),
    beginning: (column) => (column.long ? dialect.longTexts?.beginning(column) : undefined),
  })
}

/** The inner table gets a name that no table has, so that a table can be compared with itself. */
function writeExists({ table, on, where }: Exists, dialect: Dialect, from: { readonly name: string }): Sql {
  const alias = { name: `${from.name.startsWith('~') ? from.name : ''}~` }
  const links = on.map(([inner, outer]) => sql`${ownedBy(alias, inner)} = ${ownedBy(from, outer)}`)
  const conditions = where.op === 'always' ? links : [...links, writeCondition(where, dialect, alias)]
  return sql`exists (select 1 from ${named(table)} as ${named(alias)} where ${combine(true, conditions)})`
}

const ownedBy = (table: { readonly name: string }, column: Column): Sql =>
  sql`${named(table)}.${named(column)}`

/** The condition with its values written out, for the definition of a partial index. */
export function writeLiteralCondition(condition: Condition, dialect: Dialect): Sql {
  const literal = (value: Bound): Sql => sql.lit(value)
  return write(condition, false, dialect, {
    value: (column, value) => literal(bind(dialect.encode, column, value)),
    pattern: (pattern) => literal(pattern.toLowerCase()),
    list(column, values, negated) {
      const list = sql.join(values.map((value) => literal(bind(dialect.encode, column, value))))
      return sql`${named(column)} ${sql.raw(negated ? 'not in' : 'in')} (${list})`
    },
    scalar: refuse,
    exists: refuse,
    search: refuse,
    beginning: () => undefined,
  })
}

function refuse(): never {
  throw new Error('a partial index compares columns with values, and nothing else')
}

/** Each comparison and its opposite. */
const OPERATORS = {
  eq: ['=', '<>'],
  ne: ['<>', '='],
  lt: ['<', '>='],
  lte: ['<=', '>'],
  gt: ['>', '<='],
  gte: ['>=', '<'],
} as const satisfies Record<string, readonly [holds: string, fails: string]>

/** What holds of the beginnings of texts for which a comparison holds; an index finds those. */
const OF_BEGINNINGS = { '=': '=', '<': '<=', '<=': '<=', '>': '>=', '>=': '>=', '<>': undefined } as const

/** Whether an index can find the rows for which a comparison holds. */
const isFound = (op: keyof typeof OPERATORS, negated: boolean): boolean =>
  OF_BEGINNINGS[OPERATORS[op][negated ? 1 : 0]] !== undefined

/**
 * Negation is carried down to the comparisons, so that SQL's third truth value never appears: a comparison
 * with null is false, and its negation therefore true.
 */
function write(condition: Condition, negated: boolean, dialect: Dialect, operands: Operands): Sql {
  const { op } = condition
  switch (op) {
    case 'and':
    case 'or': {
      const parts = condition.of.map((part) => write(part, negated, dialect, operands))
      return combine((op === 'and') !== negated, parts)
    }
    case 'not':
      return write(condition.of, !negated, dialect, operands)
    case 'always':
    case 'never':
      return truth((op === 'always') !== negated)
    case 'holds':
      return sql`(${operands.scalar(condition.scalar)} is ${sql.raw(negated ? 'not true' : 'true')})`
    case 'exists': {
      const exists = operands.exists(condition)
      return negated ? sql`not ${exists}` : exists
    }
    case 'contains': {
      if (condition.columns.length === 0) return truth(negated)
      const matches = operands.search(condition)
      return negated ? sql`(${matches} is not true)` : matches
    }
    case 'null': {
      const tested = operands.beginning(condition.column) ?? named(condition.column)
      return sql`${tested} ${sql.raw(negated ? 'is not null' : 'is null')}`
    }
    case 'like':
      return orNull(
        condition.column,
        negated,
        dialect.isLike(condition.column, operands.pattern(condition.pattern), negated),
      )
    case 'in':
      if (condition.values.length === 0) return truth(negated)
      return orNull(condition.column, negated, writeIn(condition, negated, dialect, operands))
    default: {
      const { column, value } = condition
      const operator = OPERATORS[op][negated ? 1 : 0]
      const comparison = sql`${named(column)} ${sql.raw(operator)} ${operands.value(column, value)}`
      const ofBeginnings = OF_BEGINNINGS[operator]
      const beginning = ofBeginnings && operands.beginning(column)
      return orNull(
        column,
        negated !== (op === 'ne'),
        beginning ? sql`(${beginning} ${sql.raw(ofBeginnings)} ${PARAMETER} and ${comparison})` : comparison,
      )
    }
  }
}

function writeIn(
  { column, values }: Extract<Condition, { op: 'in' }>,
  negated: boolean,
  dialect: Dialect,
  operands: Operands,
): Sql {
  const whole = operands.list(column, values, negated)
  const beginning = negated ? undefined : operands.beginning(column)
  return beginning ? sql`(${dialect.isIn(beginning, PARAMETER, false)} and ${whole})` : whole
}

const truth = (holds: boolean): Sql => sql.raw(holds ? 'true' : 'false')

function combine(all: boolean, parts: readonly Sql[]): Sql {
  const [first, ...others] = parts
  if (first === undefined) return truth(all)
  return others.length === 0 ? first : chained(parts, all ? 'and' : 'or')
}

/** A comparison that is to hold where the column is null too. */
function orNull(column: Column, withNull: boolean, comparison: Sql): Sql {
  return withNull && column.nullable ? sql`(${comparison} or ${named(column)} is null)` : comparison
}
