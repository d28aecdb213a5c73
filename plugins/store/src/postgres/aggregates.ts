import { sql } from 'kysely'
import type { AggregateDialect, Sql } from '../compile/dialect.ts'
import { AVERAGE_DIGITS } from '../plan.ts'

/** The first number past what a double holds, half a step after the largest one. */
const BEYOND = sql.raw(String(2n ** 1024n - 2n ** 970n))
const SCALE = sql.raw(String(10 ** AVERAGE_DIGITS))
const UNIT = sql.raw((10 ** -AVERAGE_DIGITS).toFixed(AVERAGE_DIGITS))

const double = (number: Sql): Sql => sql`case when abs(${number}) < ${BEYOND} then (${number})::float8 end`

/**
 * Sums as PostgreSQL has them, whose `numeric` is exact: a double goes there by its shortest decimal digits, since the
 * server's own conversion keeps but fifteen of them.
 */
export const postgresAggregates: AggregateDialect = {
  addend: (number, kind) =>
    kind === 'integer' || kind === 'decimal' ? number : sql`(${number})::text::numeric`,
  sum: (addends) => double(sql`sum(${addends})`),
  /** A quotient of numerics is rounded before it could be rounded here; a whole one is not. */
  average(addends) {
    const total = sql`sum(${addends})`
    const count = sql`count(${addends})`
    const whole = sql`div(abs(${total}) * 2 * ${SCALE} + ${count}, nullif(2 * ${count}, 0))`
    return double(sql`(sign(${total}) * ${whole} * ${UNIT})`)
  },
}
