import type { Widget } from '../dashboard.ts'
import type { WrittenQuery, WrittenWidget } from '../definition.ts'
import type { WidgetPlace } from './place.ts'

export type QueryKey = keyof WrittenQuery

/** What widgets of some types have besides a query and their names. */
export const OWN_KEYS = ['thresholds', 'target', 'colorMap', 'min', 'max'] as const

/** A type of widgets. */
export interface WidgetKind {
  /** What its query takes. */
  readonly takes: readonly QueryKey[]
  /** What it has besides. */
  readonly has: readonly (typeof OWN_KEYS)[number][]
  /** Compiles one; undefined where something is missing that was reported. */
  compile(name: string, written: WrittenWidget, query: WrittenQuery, place: WidgetPlace): Widget | undefined
  /** Compiles one whose query is an expression of aggregates; no other type takes a text. */
  readonly compileText?: (
    name: string,
    written: WrittenWidget,
    query: string,
    place: WidgetPlace,
  ) => Widget | undefined
}
