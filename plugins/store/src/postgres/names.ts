import { type IdentifierNode, PostgresQueryCompiler } from 'kysely'

/** Every table of PostgreSQL has columns of these names (https://www.postgresql.org/docs/current/ddl-system-columns.html). */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** Ends the name of a column that is called like one of those; no name from a definition holds it. */
const MARK = '$'

/** The name in the database of what a plan calls `name`. */
export const storedName = (name: string): string => (SYSTEM_COLUMNS.has(name) ? name + MARK : name)

/** What plans call a column of the database. */
export function plannedName(stored: string): string {
  const name = stored.slice(0, -MARK.length)
  return stored.endsWith(MARK) && SYSTEM_COLUMNS.has(name) ? name : stored
}

/** Writes names as the database has them. */
export class StoredNamesCompiler extends PostgresQueryCompiler {
  protected override visitIdentifier(node: IdentifierNode): void {
    super.visitIdentifier({ ...node, name: storedName(node.name) })
  }
}
