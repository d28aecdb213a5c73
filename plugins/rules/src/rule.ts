import type { Switch, Trigger } from '@svc/automation/contract'
import type { Expression, Resource, Text, Words } from '@svc/domain/contract'
import type { History } from '@svc/history/contract'
import type { CompiledNotification } from '@svc/notifications/contract'
import type { Value } from '@svc/store/contract'
import type { RuleDefinition, Severity } from './definition.ts'
import type { Ordered } from './order/order.ts'

/** A rule, compiled. */
export interface Rule extends Ordered {
  readonly resource: Resource
  readonly description: string | null
  readonly severity: Severity
  readonly regulation: string | null
  readonly group: string | null
  readonly trigger: Trigger
  readonly condition: Expression
  /** Whether it is decided by the record alone: then it is asked without waiting for anything. */
  readonly isNear: boolean
  readonly words: Words
  readonly notification: CompiledNotification | undefined
  /** The timeline on which a firing stands; undefined: on none. */
  readonly timeline: History | undefined
  /** Whether the definition has it in force. */
  readonly declared: boolean
  readonly switch: Switch
  /** Its words as they may be kept: variables stay as they are written. */
  readonly kept: KeptWords
  /** As it stands in the definition. */
  readonly written: RuleDefinition
}

/** The words of a rule as they are written. */
export interface KeptWords {
  readonly message: Text
  readonly messageData: Readonly<Record<string, Value>>
}
