import type { Column, ColumnKind, ForeignKey, Index, Table } from '@svc/store/contract'

/** A table with its columns by name. */
export interface Shape<C> {
  readonly table: Table
  readonly columns: { readonly [K in keyof C]: Column }
}

/** A kind, for a column that always has a value; or a column without its name. */
type Kinds = Readonly<Record<string, ColumnKind | Omit<Column, 'name'>>>
type Rest = Pick<Table, 'primaryKey'> & Partial<Pick<Table, 'indexes' | 'foreignKeys'>>

/** A table made of its columns, by name, and what else it has. */
export function shape<const C extends Kinds>(
  name: string,
  kinds: C,
  rest: (columns: { readonly [K in keyof C]: Column }) => Rest,
): Shape<C> {
  const list = Object.entries(kinds).map(([column, kind]): Column =>
    typeof kind === 'string' ? { name: column, kind, nullable: false } : { name: column, ...kind },
  )
  const columns = Object.fromEntries(list.map((column) => [column.name, column])) as Shape<C>['columns']
  return { columns, table: { name, columns: list, indexes: [], foreignKeys: [], ...rest(columns) } }
}

/** A column that may be empty. */
export function nullable(kind: ColumnKind): Omit<Column, 'name'> {
  return { kind, nullable: true }
}

/** An index over columns, in their order. */
export function index(name: string, unique: boolean, ...columns: readonly Column[]): Index {
  return { name, columns, unique }
}

/** The row goes when the one it refers to goes. */
export function ownedBy(name: string, column: Column, owner: { readonly table: Table }): ForeignKey {
  const [key] = owner.table.primaryKey
  return {
    name,
    column,
    references: { table: owner.table.name, column: key?.name ?? '' },
    onDelete: 'cascade',
  }
}
