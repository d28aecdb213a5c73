import { sql } from 'kysely'
import {
  type Column,
  type Condition,
  type Contains,
  type Related,
  type RelatedOrder,
  type Scalar,
  type SpatialCondition,
  typeOf,
  type Value,
} from '../plan.ts'
import { OF_BEGINNINGS, OPERATORS } from './comparison.ts'
import type { Bound, Dialect, Sql } from './dialect.ts'
import { writeCustom } from './custom.ts'
import { isFew } from './few.ts'
import { chained, listed, named, nothing, PARAMETER } from './form.ts'
import { isMany } from './many.ts'
import { assertPlain } from './plain.ts'
import { type OfRelated, writeScalar } from './scalar.ts'
import { bind } from './values.ts'

type Exists = Extract<Condition, { op: 'exists' }>
type Custom = Extract<Condition, { op: 'custom' }>

/** How a condition's values reach the SQL: as parameters in a query, as literals in a schema. */
interface Operands {
  value(column: Column, value: Exclude<Value, null>): Sql
  pattern(pattern: string): Sql
  list(column: Column, values: readonly Value[], negated: boolean): Sql
  scalar(scalar: Scalar): Sql
  exists(condition: Exists, negated: boolean): Sql
  search(search: Contains): Sql
  spatial(condition: SpatialCondition): Sql
  custom(condition: Custom): Sql
  /** The beginning of a long text, where rows are found by that; undefined for what is compared as it is. */
  beginning(column: Column): Sql | undefined
}

/**
 * The condition with a parameter for each value, in the order of `readCondition`. `from` is the name under which the
 * statement reads the table whose columns the condition compares.
 */
export function writeCondition(condition: Condition, dialect: Dialect, from: Named): Sql {
  return write(condition, false, dialect, {
    value: () => PARAMETER,
    pattern: () => PARAMETER,
    list: (column, values, negated) =>
      negated && isMany(values)
        ? dialect.isNoneOf(named(column), column.kind, PARAMETER)
        : dialect.isIn(named(column), PARAMETER, negated),
    scalar: (scalar) => writeScalarOf(scalar, dialect, from),
    exists: (exists, negated) =>
      !negated && isFew(exists) ? writeMember(exists, dialect, from) : writeExists(exists, dialect, from),
    search: (search) => dialect.search.matches(search, from),
    spatial: (condition) => dialect.spatial.matches(condition, from),
    custom: (condition) => writeCustom(condition, dialect),
    beginning: (column) => (column.long ? dialect.longTexts?.beginning(column) : undefined),
  })
}

/** A scalar of the table that the statement reads under the name `from`. */
export const writeScalarOf = (scalar: Scalar, dialect: Dialect, from: Named): Sql =>
  writeScalar(scalar, dialect, (related) => writeRelated(related, dialect, from))

interface Named {
  readonly name: string
}

/** The inner table gets a name that no table has, so that a table can be compared with itself. */
const aliasIn = (from: Named): Named => ({ name: `${from.name.startsWith('~') ? from.name : ''}~` })

function writeExists({ table, on, where }: Exists, dialect: Dialect, from: Named): Sql {
  const alias = aliasIn(from)
  const links = on.map((pair) => linked(pair, alias, from))
  const conditions = where.op === 'always' ? links : [...links, writeCondition(where, dialect, alias)]
  return sql`exists (select 1 from ${named(table)} as ${named(alias)} where ${combine(true, conditions)})`
}

/** The same from the inside out: where few rows meet the condition, those that they belong to are looked up by them. */
function writeMember({ table, on, where }: Exists, dialect: Dialect, from: Named): Sql {
  const [link] = on
  if (link === undefined) return truth(false)
  const alias = aliasIn(from)
  const found = sql`select ${ownedBy(alias, link[0])} from ${named(table)} as ${named(alias)} where ${writeCondition(where, dialect, alias)}`
  return sql`${likeInner(link, from)} in (${found})`
}

function writeRelated(scalar: OfRelated, dialect: Dialect, from: Named): Sql {
  const { table, on, where } = scalar.related
  if (scalar.op === 'some')
    return sql`(${writeExists({ op: 'exists', table, on: [on], where }, dialect, from)})`
  const alias = aliasIn(from)
  const value = writeScalarOf(scalar.of, dialect, alias)
  const rows = rowsOf(scalar.related, dialect, from)
  if (scalar.op === 'fold') return folded(scalar, value, rows, dialect)
  const first = scalar.order.length === 0 ? nothing : sql` limit 1`
  return sql`(select ${value} ${rows}${sorted(scalar.order, dialect, alias)}${first})`
}

function rowsOf({ table, on, where }: Related, dialect: Dialect, from: Named): Sql {
  const alias = aliasIn(from)
  const link = linked(on, alias, from)
  const conditions = where.op === 'always' ? [link] : [link, writeCondition(where, dialect, alias)]
  return sql`from ${named(table)} as ${named(alias)} where ${combine(true, conditions)}`
}

function folded({ by, of }: Extract<Scalar, { op: 'fold' }>, value: Sql, rows: Sql, dialect: Dialect): Sql {
  if (by === 'sum') return dialect.scalar.sum(value, rows)
  if (by === 'count') return sql`(select ${dialect.scalar.count(value)} ${rows})`
  const comparable = typeOf(of) === 'text' ? dialect.scalar.byCodePoint(value) : value
  return sql`(select ${sql.raw(by)}(${comparable}) ${rows})`
}

function sorted(order: readonly RelatedOrder[], dialect: Dialect, alias: Named): Sql {
  if (order.length === 0) return nothing
  const keys = order.map(({ by, descending }) => {
    const value = writeScalarOf(by, dialect, alias)
    return dialect.key(typeOf(by) === 'text' ? dialect.scalar.byCodePoint(value) : value, true, descending)
  })
  return sql` order by ${listed(keys)}`
}

type Pair = readonly [inner: Column, outer: Column]

const linked = (pair: Pair, alias: Named, from: Named): Sql =>
  sql`${ownedBy(alias, pair[0])} = ${likeInner(pair, from)}`

/** A text may stand for a key of any kind: the key is written as that, so that an index of the inner table serves it. */
const likeInner = ([inner, outer]: Pair, from: Named): Sql =>
  inner.kind === 'text' && (outer.kind === 'uuid' || outer.kind === 'integer')
    ? sql`cast(${ownedBy(from, outer)} as text)`
    : ownedBy(from, outer)

const ownedBy = (table: Named, column: Column): Sql => sql`${named(table)}.${named(column)}`

/** The condition with its values written out, for the definition of a partial index. */
export function writeLiteralCondition(condition: Condition, dialect: Dialect): Sql {
  const literal = (value: Bound): Sql => sql.lit(value)
  return write(condition, false, dialect, {
    value(column, value) {
      assertPlain(column)
      return literal(bind(dialect.encode, column, value))
    },
    pattern: (pattern) => literal(pattern.toLowerCase()),
    list(column, values, negated) {
      assertPlain(column)
      const list = sql.join(values.map((value) => literal(bind(dialect.encode, column, value))))
      return sql`${named(column)} ${sql.raw(negated ? 'not in' : 'in')} (${list})`
    },
    scalar: refuse,
    exists: refuse,
    search: refuse,
    spatial: refuse,
    custom: refuse,
    beginning: () => undefined,
  })
}

function refuse(): never {
  throw new Error('a partial index compares columns with values, and nothing else')
}

/**
 * Negation is carried down to the comparisons, so that SQL's third truth value never appears: a comparison
 * with null is false, and its negation therefore true.
 */
function write(condition: Condition, negated: boolean, dialect: Dialect, operands: Operands): Sql {
  const { op } = condition
  switch (op) {
    case 'and':
    case 'or': {
      const isAll = (op === 'and') !== negated
      const parts = condition.of.map((part) => write(part, negated, dialect, operands))
      return combine(isAll, parts)
    }
    case 'not':
      return write(condition.of, !negated, dialect, operands)
    case 'always':
    case 'never':
      return truth((op === 'always') !== negated)
    case 'holds':
      return sql`(${operands.scalar(condition.scalar)} is ${sql.raw(negated ? 'not true' : 'true')})`
    case 'exists': {
      const exists = operands.exists(condition, negated)
      return negated ? sql`not ${exists}` : exists
    }
    case 'contains': {
      if (condition.columns.length === 0) return truth(negated)
      const matches = operands.search(condition)
      return negated ? sql`(${matches} is not true)` : matches
    }
    case 'custom':
    case 'spatial': {
      const compared = op === 'custom' ? operands.custom(condition) : operands.spatial(condition)
      // Bare, an index may serve it.
      return negated ? sql`((${compared}) is not true)` : sql`(${compared})`
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
  const beginning = negated ? undefined : operands.beginning(column)
  if (!beginning) return operands.list(column, values, negated)
  // Rows are found by the beginnings, and few of them begin alike.
  return sql`(${dialect.isIn(beginning, PARAMETER, false)} and ${operands.list(column, values, negated)})`
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
