import type { Column, Condition, ForeignKey, Index, SchemaStep, Table } from '@svc/store/contract'

/**
 * Tables on their way from one schema to another. Every step is made from the tables as they stand before it;
 * `addColumn` alone carries the table with the new column, whose foreign keys come along.
 */
export class SchemaWalk {
  readonly #tables: Map<string, Table>

  constructor(tables: readonly Table[]) {
    this.#tables = new Map(tables.map((table) => [table.name, table]))
  }

  table(name: string): Table {
    const table = this.#tables.get(name)
    if (!table) throw new Error(`no table is called '${name}' at this step`)
    return table
  }

  createTable(table: Table): SchemaStep {
    this.#tables.set(table.name, table)
    return { kind: 'createTable', table }
  }

  dropTable(name: string): SchemaStep {
    const table = this.table(name)
    this.#tables.delete(name)
    return { kind: 'dropTable', table }
  }

  renameTable(name: string, to: string): SchemaStep {
    const table = this.table(name)
    this.#tables.delete(name)
    this.#tables.set(to, { ...table, name: to })
    this.#redirect((references) => (references.table === name ? { ...references, table: to } : references))
    return { kind: 'renameTable', table, to }
  }

  addColumn(name: string, column: Column, foreignKeys: readonly ForeignKey[] = []): SchemaStep {
    const before = this.table(name)
    const table = {
      ...before,
      columns: [...before.columns, column],
      foreignKeys: [...before.foreignKeys, ...foreignKeys],
    }
    this.#tables.set(name, table)
    return { kind: 'addColumn', table, column }
  }

  dropColumn(name: string, column: Column): SchemaStep {
    const table = this.table(name)
    this.#tables.set(name, {
      ...table,
      columns: table.columns.filter((one) => one.name !== column.name),
      foreignKeys: table.foreignKeys.filter((key) => key.column.name !== column.name),
    })
    return { kind: 'dropColumn', table, column }
  }

  renameColumn(name: string, column: Column, to: string): SchemaStep {
    const table = this.table(name)
    this.#tables.set(name, withRenamedColumn(table, column.name, to))
    this.#redirect((references) =>
      references.table === name && references.column === column.name
        ? { ...references, column: to }
        : references,
    )
    return { kind: 'renameColumn', table, column, to }
  }

  createIndex(name: string, index: Index, twin?: Index): SchemaStep {
    const table = this.table(name)
    this.#tables.set(name, { ...table, indexes: [...table.indexes, index] })
    return { kind: 'createIndex', table, index, ...(twin && { twin }) }
  }

  dropIndex(name: string, index: Index, twin?: Index): SchemaStep {
    const table = this.table(name)
    this.#tables.set(name, { ...table, indexes: table.indexes.filter((one) => one.name !== index.name) })
    return { kind: 'dropIndex', table, index, ...(twin && { twin }) }
  }

  setForeignKeys(name: string, foreignKeys: readonly ForeignKey[]): SchemaStep {
    const table = this.table(name)
    this.#tables.set(name, { ...table, foreignKeys })
    return { kind: 'setForeignKeys', table, foreignKeys }
  }

  #redirect(move: (references: ForeignKey['references']) => ForeignKey['references']): void {
    for (const [name, table] of this.#tables) {
      const foreignKeys = table.foreignKeys.map((key) => ({ ...key, references: move(key.references) }))
      this.#tables.set(name, { ...table, foreignKeys })
    }
  }
}

/** The step that takes `step` back; rows and values that it took away stay away. */
export function reverseStep(step: SchemaStep): SchemaStep {
  const { table } = step
  switch (step.kind) {
    case 'createTable':
      return { kind: 'dropTable', table }
    case 'dropTable':
      return { kind: 'createTable', table }
    case 'renameTable':
      return { kind: 'renameTable', table: { ...table, name: step.to }, to: table.name }
    case 'addColumn':
      return { kind: 'dropColumn', table, column: step.column }
    case 'dropColumn':
      return { kind: 'addColumn', table, column: step.column }
    case 'renameColumn':
      return {
        kind: 'renameColumn',
        table: withRenamedColumn(table, step.column.name, step.to),
        column: { ...step.column, name: step.to },
        to: step.column.name,
      }
    case 'createIndex':
      return { ...step, kind: 'dropIndex' }
    case 'dropIndex':
      return { ...step, kind: 'createIndex' }
    case 'setForeignKeys':
      return {
        kind: 'setForeignKeys',
        table: { ...table, foreignKeys: step.foreignKeys },
        foreignKeys: table.foreignKeys,
      }
  }
}

function withRenamedColumn(table: Table, from: string, to: string): Table {
  const renamed = (column: Column): Column => (column.name === from ? { ...column, name: to } : column)
  return {
    ...table,
    columns: table.columns.map(renamed),
    primaryKey: table.primaryKey.map(renamed),
    indexes: table.indexes.map((index) => renamedIndex(index, renamed)),
    foreignKeys: table.foreignKeys.map((key) => ({
      ...key,
      column: renamed(key.column),
      references:
        key.references.table === table.name && key.references.column === from
          ? { ...key.references, column: to }
          : key.references,
    })),
  }
}

function renamedIndex(index: Index, renamed: (column: Column) => Column): Index {
  const columns = index.columns.map(renamed)
  return index.where === undefined
    ? { ...index, columns }
    : { ...index, columns, where: renamedCondition(index.where, renamed) }
}

function renamedCondition(condition: Condition, renamed: (column: Column) => Column): Condition {
  if ('column' in condition) return { ...condition, column: renamed(condition.column) }
  if (condition.op === 'not') return { ...condition, of: renamedCondition(condition.of, renamed) }
  if (condition.op === 'and' || condition.op === 'or')
    return { ...condition, of: condition.of.map((part) => renamedCondition(part, renamed)) }
  return condition
}
