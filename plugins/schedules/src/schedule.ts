import type { CompiledAction, Duration, Switch, Recurrence } from '@svc/automation/contract'
import type { Expression, Field, Model, Resource, RowCondition } from '@svc/domain/contract'
import type { EvaluationContext, Known } from '@svc/expression/contract'
import type { CompiledNotification } from '@svc/notifications/contract'
import type { Column } from '@svc/store/contract'
import type { ScheduleDefinition } from './definition/schedule.ts'

/** A schedule, compiled. */
export interface Schedule {
  readonly name: string
  readonly model: Model
  readonly declared: boolean
  readonly switch: Switch
  readonly written: ScheduleDefinition
  readonly zone: string
  readonly source: ScheduleSource | undefined
  readonly timing: Timing
  /** What is done: of a schedule with tiers one for each, in the order of the text; else one. */
  readonly deeds: readonly Deed[]
  readonly batched: boolean
}

/** The records that a schedule is about. */
export interface ScheduleSource {
  readonly resource: Resource
  /** The column of the key, by whose order records are gone through. */
  readonly key: Column
  readonly filter: RowCondition | undefined
  /** The fields on which alone it depends whether the filter holds; undefined where that may change by itself. */
  readonly watched: ReadonlySet<string> | undefined
}

/** When a schedule is due. */
export type Timing = RecurringTiming | RelativeTiming

export interface RecurringTiming {
  readonly kind: 'recurring'
  readonly recurrence: Recurrence
  readonly catchUp: 'latest' | 'all' | 'none'
}

export interface RelativeTiming {
  readonly kind: 'relative'
  readonly relativeTo: Field
  /** Whether that is a day, not a moment. */
  readonly isDate: boolean
  readonly offset: Duration
  /** `08:00`; undefined: the time that comes of itself. */
  readonly at: string | undefined
}

/** What is done when a schedule, or a tier of it, is due. */
export interface Deed {
  /** The days of a tier, as text; empty of what is no tier. */
  readonly key: string
  /** How many days before `relativeTo` it is due; undefined of what is no tier. */
  readonly daysUntil: number | undefined
  readonly tag: Tag
  readonly action: CompiledAction
  readonly skipIf: Expression | undefined
  /** What is told once the action is done. */
  readonly notification: CompiledNotification | undefined
  /** What its context has to be able to evaluate for one record. */
  readonly expressions: readonly Expression[]
  /** Whether records of a batch are written one by one, in one transaction. */
  readonly isEach: boolean
}

/** What a record fires once for. */
export interface Tag {
  /** Undefined where none is. */
  readonly written: string | undefined
  readonly expressions: readonly Expression[]
  /** What is known of it: what it is made of. */
  readonly made: Known
  /** Undefined: the planned moment. */
  of(context: EvaluationContext): string | undefined
}

/** The one deed of a schedule without tiers. */
export function onlyDeed({ name, deeds: [deed] }: Schedule): Deed {
  if (deed === undefined) throw new Error(`the schedule '${name}' has nothing to do`)
  return deed
}
