import type { Recurrence } from '@svc/automation/contract'
import type { Resource, RowCondition } from '@svc/domain/contract'

/** A trigger by the clock, compiled. */
export interface ScheduleTrigger {
  readonly recurrence: Recurrence
  /** The zone whose clocks count. */
  readonly zone: string
  /** Whose records it is about; undefined: one run, about none. */
  readonly resource: Resource | undefined
  readonly filter: RowCondition | undefined
  /** What it is known by: another text is another trigger. */
  readonly text: string
}
