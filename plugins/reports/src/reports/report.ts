import {
  blockKey,
  type LocalText,
  type Parameter,
  type RowCondition,
  type Text,
  type Door,
} from '@svc/domain/contract'
import type { Counted } from '../aggregates/counted.ts'
import type { Figure } from '../aggregates/figure.ts'
import type { Formula } from '../aggregates/formula.ts'
import type { Interval } from '../aggregates/interval.ts'
import type { AggregateFunction } from '../aggregates/measure.ts'
import type { ValueFormat } from '../formats/format.ts'
import type { View, ViewColumn } from '../views/view.ts'

/** A figure with its words. */
export interface Metric {
  readonly label: Text
  readonly figure: Figure
  readonly format: ValueFormat
}

/** By what rows are gathered. */
export interface Grouping {
  readonly column: ViewColumn
  readonly formula: Formula
  readonly interval: Interval | undefined
  readonly timezone: string | undefined
}

/** What the rows come to in one column. */
export interface Total {
  readonly column: ViewColumn
  readonly fn: Exclude<AggregateFunction, 'countDistinct'>
  readonly formula: Formula
}

export interface TableSection {
  readonly view: View
  readonly counted: Counted
  readonly filter: RowCondition | undefined
  readonly grouping: Grouping | undefined
  readonly totals: readonly Total[]
  readonly limit: number
  readonly emptyMessage: Text | undefined
}

export type Section =
  | { readonly kind: 'metrics'; readonly title: Text | undefined; readonly metrics: readonly Metric[] }
  | { readonly kind: 'table'; readonly title: Text | undefined; readonly table: TableSection }

/** A report, compiled. */
export interface Report {
  readonly name: string
  readonly label: Text | undefined
  readonly description: Text | undefined
  readonly door: Door
  readonly parameters: readonly Parameter[]
  readonly header: LocalText | undefined
  readonly footer: LocalText | undefined
  readonly sections: readonly Section[]
}

export type Reports = ReadonlyMap<string, Report>

/** The key `reports`, with what it makes. */
export const REPORTS = blockKey<Reports>('reports')
