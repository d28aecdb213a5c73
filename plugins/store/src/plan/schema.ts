import type { Column } from './column.ts'
import type { ForeignKey, Index, Table } from './table.ts'

/**
 * One change of the schema, in words that every store has SQL for. A new table comes with its indexes and foreign
 * keys, a new column with its foreign keys; what is dropped takes its indexes along.
 */
export type SchemaStep =
  | { readonly kind: 'createTable' | 'dropTable'; readonly table: Table }
  | { readonly kind: 'renameTable'; readonly table: Table; readonly to: string }
  | { readonly kind: 'addColumn' | 'dropColumn'; readonly table: Table; readonly column: Column }
  | { readonly kind: 'renameColumn'; readonly table: Table; readonly column: Column; readonly to: string }
  /** `twin` takes the place of the index, or gives it: over the same values, which may be called otherwise. */
  | {
      readonly kind: 'createIndex' | 'dropIndex'
      readonly table: Table
      readonly index: Index
      readonly twin?: Index
    }
  /** The table, whose own foreign keys are those before the step, has these ones after it. */
  | { readonly kind: 'setForeignKeys'; readonly table: Table; readonly foreignKeys: readonly ForeignKey[] }
