import type { Resource, Text, Door } from '@svc/domain/contract'
import type { Column, Order } from '@svc/store/contract'
import type { Counted } from '../aggregates/counted.ts'
import type { Figure } from '../aggregates/figure.ts'
import type { Formula } from '../aggregates/formula.ts'
import type { Interval } from '../aggregates/interval.ts'
import type { CompiledMeasure } from '../aggregates/measure.ts'
import type { Filter } from '../door/readable.ts'
import type { ValueFormat } from '../formats/format.ts'
import type { View } from '../views/view.ts'
import type { Threshold } from './thresholds.ts'

/** What is counted: a measure with what picks its records, or an expression of aggregates. */
export type Asked =
  | { readonly figure: Figure; readonly measure?: undefined }
  | { readonly figure?: undefined; readonly measure: CompiledMeasure; readonly where: readonly Filter[] }

interface Shared {
  readonly name: string
  readonly label: Text
  readonly format: ValueFormat
  readonly colors: ReadonlyMap<string, string>
}

export interface CounterWidget extends Shared {
  readonly type: 'counter' | 'scorecard' | 'gauge'
  readonly asked: Asked
  readonly thresholds: readonly Threshold[]
  readonly target: number | Figure | undefined
  /** Of a gauge. */
  readonly min: number
  readonly max: number | undefined
}

/** What is gathered, and what each group comes to. */
interface Gathered {
  readonly measure: CompiledMeasure
  readonly where: readonly Filter[]
}

export interface BreakdownWidget extends Shared, Gathered {
  readonly type: 'breakdown'
  readonly by: Formula
  readonly sort: { readonly by: 'value' | 'group'; readonly descending: boolean }
  readonly limit: number
  /** How keys are called. */
  readonly keyFormat: ValueFormat
}

export interface SeriesWidget extends Shared, Gathered {
  readonly type: 'timeSeries'
  readonly date: Formula & { readonly column: Column }
  readonly interval: Interval
  readonly timezone: string | undefined
  readonly last: number
}

export interface TableWidget extends Shared {
  readonly type: 'table'
  readonly view: View
  readonly counted: Counted
  readonly where: readonly Filter[]
  readonly order: readonly Order[]
  readonly limit: number
}

export interface TimelineWidget extends Shared {
  readonly type: 'timeline'
  readonly resource: Resource
  readonly events: readonly string[] | undefined
  readonly limit: number
}

export type Widget = CounterWidget | BreakdownWidget | SeriesWidget | TableWidget | TimelineWidget

/** A dashboard, compiled. */
export interface Dashboard {
  readonly name: string
  readonly label: Text | undefined
  readonly description: Text | undefined
  readonly door: Door
  /** For how long an answer is kept, in milliseconds; undefined: not at all. */
  readonly refreshMs: number | undefined
  readonly widgets: readonly Widget[]
  /** As they are written. */
  readonly layout: object
}
