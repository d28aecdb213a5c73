import type { Switch, Trigger } from '@svc/automation/contract'
import type { Expression, Resource } from '@svc/domain/contract'
import type { History } from '@svc/history/contract'
import type { CompiledNotification } from '@svc/notifications/contract'
import type { RuleDefinition, Severity } from './definition.ts'
import type { Ordered } from './order/order.ts'
import type { Words } from './words/words.ts'

/** A rule, compiled. */
export interface Rule extends Ordered {
  readonly resource: Resource
  readonly description: string | null
  readonly severity: Severity
  readonly regulation: string | null
  readonly group: string | null
  readonly trigger: Trigger
  readonly condition: Expression
  readonly words: Words
  readonly notification: CompiledNotification | undefined
  /** The timeline on which a firing stands; undefined: on none. */
  readonly timeline: History | undefined
  /** Whether the definition has it in force. */
  readonly declared: boolean
  readonly switch: Switch
  /** As it stands in the definition. */
  readonly written: RuleDefinition
}
