import { sql } from 'kysely'
import {
  CARRIED,
  type Column,
  type Condition,
  type CountPlan,
  type SelectPlan,
  type Table,
  TEXT,
  type Through,
  type Worked,
} from '../plan.ts'
import { type Dialect, type Sql, writtenText } from './dialect.ts'
import { type Form, listed, named, nothing } from './form.ts'
import type { Shape } from './shape.ts'
import { order, readOrder } from './order.ts'
import { ownerAnswered, ownerBeside } from './owner.ts'
import { assertPlain } from './plain.ts'
import { range, readRange } from './range.ts'
import { readCondition } from './read-condition.ts'
import { readScalar } from './scalar.ts'
import { writeCondition, writeScalarOf } from './where.ts'

export const select: Form<SelectPlan> = {
  kind: 'select ',
  read(plan, shape) {
    if (plan.distinct) {
      plan.columns.forEach(assertPlain)
      shape.key += 'distinct '
    }
    shape.columns(plan.columns)
    for (const { column, scalar } of plan.worked ?? NONE) {
      shape.key += `${column.name} ${column.kind}=`
      readScalar(scalar, shape, readCondition)
    }
    if (plan.text) readText(plan.text, shape)
    shape.key += '|'
    if (plan.through) readThrough(plan.through, shape)
    readCondition(plan.where, shape)
    readOrder(plan.order, shape)
    readRange(plan, shape)
    if (deepKey(plan)) shape.key += ' deep'
    if (plan.lock) shape.key += plan.lock === 'shared' ? ' shared' : ' lock'
  },
  write(plan, dialect) {
    const columns = [...answered(plan, dialect), ...textOf(plan, dialect)]
    if (columns.length === 0) throw new Error(`a select from '${plan.table.name}' must name a column`)
    const distinct = plan.distinct ? sql`distinct ` : nothing
    const key = deepKey(plan)
    if (key) return deep(plan, key, listed(columns), dialect)
    return sql`select ${distinct}${listed(columns)} ${source(plan, dialect)}${order(plan, dialect)}${range(plan, dialect)}${lock(plan, dialect)}`
  },
  returned,
  text: ({ text }) => text,
  // What is worked out may take any number of other rows.
  isByKey: ({ table, where, worked, through, lock }) =>
    worked === undefined && through === undefined && !lock && namesKey(table, where),
}

/** Whether a condition holds for rows of these keys alone. */
function namesKey(table: Table, where: Condition): boolean {
  if (where.op === 'and') return where.of.some((one) => namesKey(table, one))
  const [key, ...further] = table.primaryKey
  return (where.op === 'eq' || where.op === 'in') && where.column === key && further.length === 0
}

export const count: Form<CountPlan> = {
  kind: 'count ',
  read: (plan, shape) => readCondition(plan.where, shape),
  write: (plan, dialect) => sql`select count(*) as "count" ${source(plan, dialect)}`,
  returned: () => [],
}

function returned(plan: SelectPlan): readonly Column[] {
  const { table, columns, worked = NONE, through } = plan
  const owner = ownerBeside(table, read(plan))
  if (worked.length === 0 && owner === undefined) return through ? [...columns, carried(through)] : columns
  return [
    ...columns,
    ...worked.map(({ column }) => column),
    ...(through ? [carried(through)] : []),
    ...(owner ? [owner] : []),
  ]
}

/** Every column of the table whose values are read. */
const read = ({ columns, text }: SelectPlan): readonly Column[] => (text ? [...columns, ...text] : columns)

const carried = ({ carry }: Through): Column => ({ ...carry, name: CARRIED })

const NONE: readonly Worked[] = []

/** The columns in the order of `returned`, those that are worked out with what they are. */
function answered(plan: SelectPlan, dialect: Dialect): readonly Sql[] {
  const { columns, worked = NONE, through, table } = plan
  return [
    ...columns.map(dialect.answered),
    ...worked.map(({ column, scalar }) => sql`${writeScalarOf(scalar, dialect, table)} as ${named(column)}`),
    ...(through ? [dialect.answered(carried(through))] : []),
    ...ownerAnswered(table, read(plan)),
  ]
}

function readText(columns: readonly Column[], shape: Shape): void {
  shape.key += 'text('
  shape.columns(columns)
  shape.key += ')'
}

/** The text, or the columns that it is made of once they are read. */
function textOf({ columns, text }: SelectPlan, dialect: Dialect): readonly Sql[] {
  if (text === undefined) return []
  const made = writtenText(text, dialect)
  if (made !== undefined) return [sql`${made} as ${sql.id(TEXT)}`]
  return text.filter((column) => !columns.includes(column)).map(dialect.answered)
}

function readThrough({ table, carry, on: [inner, own], where }: Through, shape: Shape): void {
  shape.key += 'through '
  for (const column of [carry, inner, own]) assertPlain(column)
  shape.other(table)
  shape.key += `${carry.name},${inner.name}=${own.name}(`
  readCondition(where, shape)
  shape.key += ')'
}

/** Under this name a plan reads the table that its rows come through. */
const THROUGH = { name: '~through' }
const LINK = { name: '~link' }

function source(plan: SelectPlan | CountPlan, dialect: Dialect): Sql {
  const through = 'through' in plan && plan.through ? joined(plan.through, plan.table, dialect) : nothing
  const where =
    plan.where.op === 'always' ? nothing : sql` where ${writeCondition(plan.where, dialect, plan.table)}`
  return sql`from ${named(plan.table)}${through}${where}`
}

/** Shows two columns under names that no table has, so that all other names are those of the plan's own table. */
function joined({ table, carry, on: [inner, own], where }: Through, target: Table, dialect: Dialect): Sql {
  const names = sql`${named(carry)} as ${sql.id(CARRIED)}, ${named(inner)} as ${named(LINK)}`
  const rows = where.op === 'always' ? nothing : sql` where ${writeCondition(where, dialect, table)}`
  return sql` join (select ${names} from ${named(table)}${rows}) as ${named(THROUGH)} on ${named(LINK)} = ${named(target)}.${named(own)}`
}

/** From so many rows on that are passed over, those that are answered are found by their keys first. */
const DEEP = 100

/**
 * The key by which a page is read whose rows are found first: far down, where an index in its order may have the keys of
 * all rows but nothing else, and where something is worked out, which a store may do for every row that it sorts.
 */
function deepKey({
  table,
  order,
  limit,
  offset = 0,
  worked = NONE,
  distinct,
  through,
  lock,
}: SelectPlan): Column | undefined {
  if (limit === undefined || order.length === 0) return undefined
  if (offset < DEEP && worked.length === 0) return undefined
  if (order.some(({ by }) => by !== undefined)) return undefined
  return distinct || through || lock || table.primaryKey.length > 1 ? undefined : table.primaryKey[0]
}

function deep(plan: SelectPlan, key: Column, columns: Sql, dialect: Dialect): Sql {
  const sorted = order(plan, dialect)
  const found = sql`select ${named(key)} ${source(plan, dialect)}${sorted}${range(plan, dialect)}`
  return sql`select ${columns} from ${named(plan.table)} where ${named(key)} in (${found})${sorted}`
}

function lock({ lock: held = false }: SelectPlan, dialect: Dialect): Sql {
  if (held === false) return nothing
  return held === 'shared' ? dialect.sharedLock : dialect.lock
}
