import { sql } from 'kysely'
import type { UpdatePlan } from '../plan.ts'
import { type Form, listed, named, nothing } from './form.ts'
import { assertNarrow } from './narrow.ts'
import { ownerAnswered, withOwner } from './owner.ts'
import { readCondition } from './read-condition.ts'
import { readSet, writeSet } from './set.ts'
import { writeCondition } from './where.ts'

export const update: Form<UpdatePlan> = {
  kind: 'update ',
  read({ table, set, where, returning }, shape) {
    readSet({ table, set, where }, shape)
    shape.key += '|'
    readCondition(where, shape)
    assertNarrow(where, shape.comparisons, table)
    if (returning !== undefined) shape.columns(returning)
  },
  write({ table, set, where, returning }, dialect) {
    const answer = returning?.length
      ? sql` returning ${listed([...returning.map(dialect.answered), ...ownerAnswered(table, returning)])}`
      : nothing
    return sql`update ${named(table)} ${writeSet({ table, set })} where ${writeCondition(where, dialect, table)}${answer}`
  },
  returned: ({ table, returning = [] }) => withOwner(table, returning),
}
