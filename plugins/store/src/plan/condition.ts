import type { Column } from './column.ts'
import type { Value } from './value.ts'
import type { Operator } from './operator.ts'
import type { Scalar } from './scalar.ts'
import type { SpatialCondition } from './spatial.ts'
import type { Table } from './table.ts'

/**
 * Which rows. Columns are objects of a table, never names from outside. A comparison with a null column is
 * false, but for `ne`, which holds where the column is null. `like` takes `%` and `_`, has no escape
 * character, and ignores case as Unicode lower-casing does. `not` picks exactly the other rows.
 */
export type Condition =
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition }
  | {
      readonly op: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'
      readonly column: Column
      readonly value: Exclude<Value, null>
    }
  | { readonly op: 'in'; readonly column: Column; readonly values: readonly Exclude<Value, null>[] }
  | { readonly op: 'like'; readonly column: Column; readonly pattern: string }
  | { readonly op: 'null'; readonly column: Column }
  | { readonly op: 'always' | 'never' }
  | Contains
  | SpatialCondition
  /** What a plugin compares: false for rows of which its SQL is null. */
  | {
      readonly op: 'custom'
      readonly operator: Operator
      readonly columns: readonly Column[]
      readonly values: readonly (string | number | boolean)[]
    }
  /** The scalar is exactly true. `holds()` makes a condition that an index can help with, where there is one. */
  | { readonly op: 'holds'; readonly scalar: Scalar }
  /**
   * Another table has a row that meets `where` and has, in its own columns, the values of this row; a column of texts
   * there may hold keys of any kind as texts.
   */
  | {
      readonly op: 'exists'
      readonly table: Table
      readonly on: readonly (readonly [inner: Column, outer: Column])[]
      readonly where: Condition
    }

/**
 * One of `columns` of `table`, the plan's own, contains `text`, whatever the case of both. A search index of the table
 * helps where it has one; the rows are the same without it.
 */
export interface Contains {
  readonly op: 'contains'
  readonly table: Table
  readonly columns: readonly Column[]
  readonly text: string
}
