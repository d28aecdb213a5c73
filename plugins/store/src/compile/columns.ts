import type { Column, Table, Value } from '../plan.ts'

interface Default {
  readonly column: Column
  readonly value: Value
}

interface Known {
  readonly columns: ReadonlyMap<string, Column>
  readonly defaults: readonly Default[]
  readonly kinds: string
}

const tables = new WeakMap<Table, Known>()

/** The column of that name; a name that the table does not have is a mistake of the caller. */
export function columnOf(table: Table, name: string): Column {
  const column = known(table).columns.get(name)
  if (column === undefined) throw new Error(`the table '${table.name}' has no column '${name}'`)
  return column
}

/** The columns that have a value of their own where a row leaves them out. */
export function defaultsOf(table: Table): readonly Default[] {
  return known(table).defaults
}

/** The columns of a table and what they hold, in one text. */
export const kindsOf = (table: Table): string => known(table).kinds

function known(table: Table): Known {
  const found = tables.get(table)
  if (found !== undefined) return found
  const made = {
    columns: new Map(table.columns.map((column) => [column.name, column])),
    defaults: table.columns.flatMap((column) =>
      column.default === undefined || column.default === null ? [] : [{ column, value: column.default }],
    ),
    kinds: table.columns.map(({ name, kind, codec }) => `${name} ${codec ? 'sealed' : kind}`).join(),
  }
  tables.set(table, made)
  return made
}
