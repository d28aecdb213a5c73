import { sql } from 'kysely'
import type { ClaimPlan } from '../plan.ts'
import { type Form, listed, named, nothing } from './form.ts'
import { assertNarrow } from './narrow.ts'
import { order, readOrder } from './order.ts'
import { ownerAnswered, withOwner } from './owner.ts'
import { range, readRange } from './range.ts'
import { readCondition } from './read-condition.ts'
import { readSet, writeSet } from './set.ts'
import { writeCondition } from './where.ts'

/** The keys of the rows that are claimed. */
const CLAIMED = { name: '~claimed' }

const keyAt = (at: number) => sql.id(`~key${at}`)

/** The rows are chosen before any is written, in a part of the statement that runs once. */
export const claim: Form<ClaimPlan> = {
  kind: 'claim ',
  read(plan, shape) {
    readCondition(plan.where, shape)
    assertNarrow(plan.where, shape.comparisons, plan.table)
    readOrder(plan.order, shape)
    readRange(plan, shape)
    readSet(plan, shape)
    shape.key += '|'
    shape.columns(plan.returning)
  },
  write(plan, dialect) {
    const { table, where, returning } = plan
    if (table.primaryKey.length === 0) throw new Error(`rows of '${table.name}' have no key to be claimed by`)
    const keys = table.primaryKey.map((column, at) => sql`${named(column)} as ${keyAt(at)}`)
    const passing = dialect.features.has('skipLocked') ? sql` for update skip locked` : nothing
    const chosen = sql`select ${listed(keys)} from ${named(table)} where ${writeCondition(where, dialect, table)}${order(plan, dialect)}${range(plan, dialect)}${passing}`
    const same = sql.join(
      table.primaryKey.map(
        (column, at) => sql`${named(table)}.${named(column)} = ${named(CLAIMED)}.${keyAt(at)}`,
      ),
      sql` and `,
    )
    const answer = returning.length > 0 ? returning : table.primaryKey
    return sql`with ${named(CLAIMED)} as materialized (${chosen}) update ${named(table)} ${writeSet(plan)} from ${named(CLAIMED)} where ${same} returning ${listed([...answer.map(dialect.answered), ...ownerAnswered(table, answer)])}`
  },
  returned: ({ table, returning }) => withOwner(table, returning.length > 0 ? returning : table.primaryKey),
}
