import {
  type Enumeration,
  type Expression,
  type Field,
  type Resource,
  type RowCondition,
  type Text,
  blockKey,
  type Door,
} from '@svc/domain/contract'
import type { Order } from '@svc/store/contract'
import type { ValueFormat } from '../formats/format.ts'
import type { Style } from './definition.ts'

/** What a column shows of a record. */
export type ColumnSource =
  /** A field of the source. */
  | { readonly kind: 'field'; readonly field: Field }
  /** A field of the one record that a relationship leads to; undefined `target` is an account. */
  | {
      readonly kind: 'reached'
      readonly path: string
      /** The foreign key. */
      readonly near: string
      readonly target: Resource | undefined
      readonly field: Field | undefined
      readonly fieldName: string
      readonly expression: Expression
    }
  | { readonly kind: 'computed'; readonly expression: Expression }

export interface Highlight {
  readonly style: Style
  readonly condition: Expression
}

/** A column of a view, compiled. */
export interface ViewColumn {
  readonly name: string
  readonly label: Text
  /** That of the field: where the column has none of its own. */
  readonly fieldLabel: Text | undefined
  readonly format: ValueFormat
  readonly enumeration: Enumeration | undefined
  readonly of: ColumnSource
  readonly highlights: readonly Highlight[]
}

/** A view, compiled. */
export interface View {
  readonly name: string
  readonly label: Text | undefined
  readonly description: Text | undefined
  readonly source: Resource
  readonly door: Door
  readonly filter: RowCondition | undefined
  readonly scope: string | undefined
  /** By stored fields of the source. */
  readonly order: readonly Order[]
  readonly defaultLimit: number
  readonly columns: readonly ViewColumn[]
}

export type Views = ReadonlyMap<string, View>

/** The key `views`, with what it makes. */
export const VIEWS = blockKey<Views>('views')
