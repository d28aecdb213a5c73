import { sql } from 'kysely'
import { type Order, type Table, typeOf } from '../plan.ts'
import type { Dialect, Sql } from './dialect.ts'
import { listed, named, nothing } from './form.ts'
import { assertPlain } from './plain.ts'
import { readCondition } from './read-condition.ts'
import { readScalar } from './scalar.ts'
import { writeScalarOf } from './where.ts'
import type { Shape } from './shape.ts'

interface Ordered {
  readonly table: Table
  readonly order: readonly Order[]
  readonly distinct?: boolean
}

/** Adds an order to the shape of its plan. */
export function readOrder(keys: readonly Order[], shape: Shape): void {
  for (const { column, descending, by } of keys) {
    assertPlain(column)
    shape.key += `${descending ? '-' : '+'}${column.name},`
    if (by) readScalar(by, shape, readCondition)
  }
}

/** In which order rows come; begins with a blank where it says anything. */
export function order(plan: Ordered, dialect: Dialect): Sql {
  if (plan.order.length === 0) return nothing
  return sql` order by ${listed(plan.order.flatMap((by) => keysOf(by, plan, dialect)))}`
}

/** A long text is in the order of its beginning first, which an index has; distinct rows are put in order as they are. */
function keysOf({ column, descending, by }: Order, plan: Ordered, dialect: Dialect): readonly Sql[] {
  if (by) {
    const worked = writeScalarOf(by, dialect, plan.table)
    const value = typeOf(by) === 'text' ? dialect.scalar.byCodePoint(worked) : worked
    return [dialect.key(value, true, descending)]
  }
  const key = (value: Sql) => dialect.key(value, column.nullable, descending)
  const longTexts = column.long && !plan.distinct ? dialect.longTexts : undefined
  return [...(longTexts ? [key(longTexts.beginning(column))] : []), key(named(column))]
}
