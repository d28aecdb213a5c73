import { sql } from 'kysely'
import type { SearchDialect, Sql } from '../compile/dialect.ts'
import { chained, listed, named, PARAMETER } from '../compile/form.ts'
import type { Column } from '../plan.ts'

export interface SearchFeatures {
  readonly lowerCollation: string
  /** The schema of the extension `pg_trgm`; undefined where this server has none. */
  readonly trigramSchema: string | undefined
}

/**
 * Search by an index of trigrams (https://www.postgresql.org/docs/current/pgtrgm.html) over the lower-cased columns.
 * Without the extension, and for texts of fewer than three characters, the rows are compared one by one.
 */
export function postgresSearch({ lowerCollation, trigramSchema }: SearchFeatures): SearchDialect {
  const lower = (column: Column): Sql => sql`lower(${named(column)} collate ${sql.id(lowerCollation)})`
  return {
    create(table, index) {
      if (trigramSchema === undefined) return []
      const operators = sql.id(trigramSchema, 'gin_trgm_ops')
      const keys = listed(index.columns.map((column) => sql`${lower(column)} ${operators}`))
      return [sql`create index ${named(index)} on ${named(table)} using gin (${keys})`]
    },
    drop: (index) => [sql`drop index if exists ${named(index)}`],
    bind({ columns, text }) {
      const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
      return { by: '', values: columns.map(() => pattern) }
    },
    matches: ({ columns }) =>
      chained(
        columns.map((column) => sql`${lower(column)} like ${PARAMETER}`),
        'or',
      ),
  }
}
