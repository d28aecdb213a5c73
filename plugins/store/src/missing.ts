import type { Catalog } from './contract.ts'
import type { SchemaStep, Table } from './plan.ts'

/** The steps that make what `tables` has and the database has not; tables that others refer to come first. */
export function missingSteps(tables: readonly Table[], catalog: Catalog): readonly SchemaStep[] {
  const present = new Map(catalog.tables.map((table) => [table.name, table]))
  return referredFirst(tables).flatMap((table): readonly SchemaStep[] => {
    const there = present.get(table.name)
    if (there === undefined) return [{ kind: 'createTable', table }]
    const columns = new Set(there.columns.map(({ name }) => name))
    const indexes = new Set(there.indexes.map(({ name }) => name))
    return [
      ...table.columns
        .filter(({ name }) => !columns.has(name))
        .map((column) => ({ kind: 'addColumn' as const, table, column })),
      ...table.indexes
        .filter(({ name }) => !indexes.has(name))
        .map((index) => ({ kind: 'createIndex' as const, table, index })),
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
