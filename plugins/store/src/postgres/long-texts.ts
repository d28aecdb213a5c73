import { sql } from 'kysely'
import type { LongTexts, Sql } from '../compile/dialect.ts'
import { named } from '../compile/form.ts'
import type { Column } from '../plan.ts'

/** Characters of a beginning. */
const LENGTH = 96
const LENGTH_SQL = sql.raw(String(LENGTH))

/** The bytes of a text. A conversion that names its encoding may not stand in an index. */
const bytes = (column: Column): Sql =>
  sql`decode(replace(${named(column)}, ${BACKSLASH}, ${TWO_BACKSLASHES}), 'escape')`

const BACKSLASH = sql.lit('\\')
const TWO_BACKSLASHES = sql.lit('\\\\')

/**
 * An entry of an index has 2,704 bytes at most, a text of a record what a request has. Such texts stand in indexes with
 * their first characters, of up to four bytes each: so much room is left that a key fits in too.
 */
export const longTexts: LongTexts = {
  beginning: (column) => sql`left(${named(column)}, ${LENGTH_SQL})`,
  cut: (text) =>
    text.length <= LENGTH
      ? text
      : Array.from(text.slice(0, LENGTH * 2))
          .slice(0, LENGTH)
          .join(''),
  digest(columns) {
    const digests = columns.map((column) => sql`sha256(${bytes(column)})`)
    return digests.length === 1 ? sql`${digests[0]}` : sql`sha256(${sql.join(digests, sql.raw(' || '))})`
  },
  most: 4,
}
