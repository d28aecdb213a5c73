import type { Parameter, Resource, Text, Door } from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Auth } from './auth/auth.ts'
import type { Asked } from './wire/asked.ts'
import type { Attempted } from './run/attempted.ts'
import type { Message } from './wire/message.ts'

/** An integration, compiled. */
export interface Integration {
  readonly name: string
  readonly type: string
  readonly label: Text | undefined
  readonly description: Text | undefined
  readonly enabled: boolean
  readonly auth: readonly Auth[]
  readonly view: Door
  readonly execute: Door
  readonly operations: ReadonlyMap<string, Operation>
}

/** One thing that an integration does. */
export interface Operation {
  readonly name: string
  readonly description: Text | undefined
  /** The resource whose record it is done for. */
  readonly resource: Resource | undefined
  readonly input: readonly Parameter[]
  /** Whether it is done by hand. */
  readonly manual: boolean
  /** Who may do it. */
  readonly execute: Door
  /** Whether it reads the record that it is done for. */
  readonly readsRecord: boolean
  /** What would be sent, as `caller` may see it. */
  preview(asked: Asked, caller: Caller): Promise<object>
  /**
   * Makes what every attempt sends; undefined where `when` is false. Throws VALIDATION_ERROR, rule `mapping`, and CONFLICT where a
   * secret is not configured.
   */
  build(asked: Asked): Promise<Message | undefined>
  /** Sends it once. */
  attempt(message: Message, asked: Asked): Promise<Attempted>
}
