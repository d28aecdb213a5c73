import type { Trigger } from '@svc/automation/contract'
import type { Door, Expression, Parameter, Resource, Text } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import type { Consumer } from './inbound/consumer.ts'
import type { RetryPolicy } from './policies.ts'
import type { Attempted } from './run/attempted.ts'
import type { ScheduleTrigger } from './triggers/schedule.ts'
import type { Asked, Seer } from './wire/asked.ts'
import type { Built, Message } from './wire/message.ts'
import type { Writing } from './write/writing.ts'

/** One thing that an integration does. */
export interface Operation {
  readonly name: string
  /** Whether something is sent, or comes in. */
  readonly direction: 'outbound' | 'inbound'
  readonly description: Text | undefined
  /** The resource whose record it is done for. */
  readonly resource: Resource | undefined
  readonly input: readonly Parameter[]
  /** Whether it is done by hand. */
  readonly manual: boolean
  /** What sets it off by itself. */
  readonly triggers: readonly Trigger[]
  /** What it does with messages that a broker delivers. */
  readonly consumer?: Consumer
  /** What sets it off by the clock. */
  readonly schedules: readonly ScheduleTrigger[]
  /** Who may do it. */
  readonly execute: Door
  /** All that it is worked out from. */
  readonly expressions: readonly Expression[]
  /** Whether it reads the record that it is done for. */
  readonly readsRecord: boolean
  /** Whether it changes nothing, here or there. */
  readonly isRead: boolean
  /** Whether the other side tells doubles. */
  readonly isRepeatable: boolean
  readonly retry: RetryPolicy | undefined
  /** How long an attempt may take, in milliseconds. */
  readonly timeoutMs: number
  /** What would be sent as `request`, or `written`, as somebody may see it. */
  preview(asked: Asked, seer: Seer): Promise<object>
  /**
   * Makes what every attempt sends; undefined where `when` is false. Throws VALIDATION_ERROR, rule `mapping`, and CONFLICT where a
   * secret is not configured.
   */
  build(asked: Asked): Promise<Built | undefined>
  /** Whether somebody has consented to it, where that is needed. */
  isConnected?(): Promise<boolean>
  /** Sends it once. */
  attempt(message: Message, asked: Asked): Promise<Attempted>
  /** What is written of what came back; undefined where nothing is. */
  readonly writing: Writing | undefined
  /** What these writes find beside the record. */
  answered(message: Message, attempted: Attempted): Row
}
