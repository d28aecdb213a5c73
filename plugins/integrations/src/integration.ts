import type { Door, Text } from '@svc/domain/contract'
import type { Auth } from './auth/auth.ts'
import type { Webhook } from './inbound/webhook.ts'
import type { Operation } from './operation.ts'
import type { Notices, Resilience } from './policies.ts'
import type { LogPolicy } from './run/logged.ts'

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
  readonly manage: Door
  readonly resilience: Resilience
  readonly log: LogPolicy
  /** The username with whose rights it writes; undefined: the system. */
  readonly as: string | undefined
  readonly notices: Notices
  readonly operations: ReadonlyMap<string, Operation>
  /** Ends the connections that it keeps, once it is not in force any more. */
  close?(): Promise<void>
  /** What it does with messages, of type `webhook`. */
  readonly webhook?: Webhook
}

/** The operation of a name; that of a webhook as a whole has none. */
export const operationOf = ({ operations, webhook }: Integration, name: string): Operation | undefined =>
  name === '' ? webhook?.operation : operations.get(name)
