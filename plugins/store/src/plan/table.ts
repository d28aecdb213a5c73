import type { Column } from './column.ts'
import type { Condition } from './condition.ts'
import type { Writing } from './operator.ts'

export interface Index {
  readonly name: string
  readonly columns: readonly Column[]
  readonly unique: boolean
  /** Rows that the index covers; all unless said. */
  readonly where?: Condition
  /**
   * What stands behind the table's name in the statement that makes it, with places for its columns. A store without
   * the feature that it needs does without it.
   */
  readonly custom?: readonly Writing[]
  /**
   * Finds geometries of GeoJSON: it serves `spatial` over its one column, and nothing else. A store without that feature
   * does without it; one that keeps it in a column makes it with the table and not later.
   */
  readonly spatial?: { readonly srid: number }
  /** Finds parts of text: it serves `contains` over its columns, which are all of text, and nothing else. */
  readonly search?: true
}

export interface ForeignKey {
  readonly name: string
  readonly column: Column
  readonly references: { readonly table: string; readonly column: string }
  readonly onDelete: 'cascade' | 'restrict' | 'set null' | 'no action'
}

/** A table as plans know it: plain, frozen data. */
export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly Column[]
  readonly indexes: readonly Index[]
  /** Those that it may have of another version or definition, and is to have no longer: `ensure` takes them away. */
  readonly formerIndexes?: readonly Index[]
  readonly foreignKeys: readonly ForeignKey[]
}
