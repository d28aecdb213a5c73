import type { Catalog, CatalogTable } from './contract.ts'
import type { Index, SchemaStep, Table } from './plan.ts'

type CatalogIndex = CatalogTable['indexes'][number]

/** Whether an index is there in another form than it would be made in now. */
export type IsOutdated = (wanted: Index, there: CatalogIndex) => boolean

/**
 * The steps that make what `tables` has and the database has not; tables that others refer to come first. An index that
 * is there in another form than it would be made in now, as `isOutdated` says, is made anew, and a former one goes.
 */
export function missingSteps(
  tables: readonly Table[],
  catalog: Catalog,
  isOutdated: IsOutdated = () => false,
): readonly SchemaStep[] {
  const present = new Map(catalog.tables.map((table) => [table.name, table]))
  return referredFirst(tables).flatMap((table): readonly SchemaStep[] => {
    const there = present.get(table.name)
    if (there === undefined) return [{ kind: 'createTable', table }]
    const columns = new Set(there.columns.map(({ name }) => name))
    const indexes = new Map(there.indexes.map((index) => [index.name, index]))
    return [
      ...table.columns
        .filter(({ name }) => !columns.has(name))
        .map((column) => ({ kind: 'addColumn' as const, table, column })),
      ...table.indexes.flatMap((index): readonly SchemaStep[] => {
        const present = indexes.get(index.name)
        const create = { kind: 'createIndex', table, index } as const
        if (present === undefined) return [create]
        return isOutdated(index, present) ? [{ kind: 'dropIndex', table, index }, create] : []
      }),
      ...(table.formerIndexes ?? [])
        .filter(({ name }) => indexes.has(name))
        .map((index) => ({ kind: 'dropIndex' as const, table, index })),
    ]
  })
}

function referredFirst(tables: readonly Table[]): readonly Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const ordered = new Set<Table>()
  const entered = new Set<Table>()
  const visit = (table: Table): void => {
    if (entered.has(table)) return
    entered.add(table)
    for (const { references } of table.foreignKeys) {
      const referred = byName.get(references.table)
      if (referred !== undefined) visit(referred)
    }
    ordered.add(table)
  }
  for (const table of tables) visit(table)
  return [...ordered]
}
