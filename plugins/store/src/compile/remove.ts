import { sql } from 'kysely'
import type { RemovePlan } from '../plan.ts'
import { type Form, named } from './form.ts'
import { assertNarrow } from './narrow.ts'
import { readCondition } from './read-condition.ts'
import { writeCondition } from './where.ts'

export const remove: Form<RemovePlan> = {
  kind: 'remove ',
  read({ table, where }, shape) {
    readCondition(where, shape)
    assertNarrow(where, shape.comparisons, table)
  },
  write: ({ table, where }, dialect) =>
    sql`delete from ${named(table)} where ${writeCondition(where, dialect, table)}`,
  returned: () => [],
}
