import type { Door, Resource, Text } from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'
import type { Ask } from '../aggregates/ask.ts'
import type { ValueFormat } from '../formats/format.ts'
import type { Answer, WidgetAsking } from './asking.ts'
import type { WidgetType } from './definition.ts'

/** A widget, compiled. */
export interface Widget {
  readonly name: string
  readonly type: WidgetType
  readonly label: Text
  readonly format: ValueFormat
  /** The resources that it reads. */
  readonly sources: readonly Resource[]
  /** The expressions that its answer is worked out by, as they are written. */
  readonly texts: readonly string[]
  /** Whether callers of the same roles may see it differently for a reason that is in none of these. */
  readonly isPersonal?: boolean
  /** The figures that it is made of: those of the same records are worked out together. */
  readonly asks: readonly Ask[]
  /** What it answers to whom it is closed, besides that. */
  readonly closed: Answer
  /** What it answers besides its names, of the figures that it asks for; undefined where the caller may not be told. */
  answer(asking: WidgetAsking, figures: readonly Value[]): Answer | undefined | Promise<Answer | undefined>
}

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
