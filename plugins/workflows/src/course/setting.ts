import type { Data, Model } from '@svc/domain/contract'
import type { JobKind } from '@svc/jobs/contract'
import type { Bus, Environment, Logger } from '@svc/kernel'
import type { Tables } from '../tables/tables.ts'
import type { Texts } from '../texts/texts.ts'
import type { Rows } from './rows.ts'
import type { Waits } from '../waits/wait.ts'

/** Work on a line: its present step. */
export interface StepJob {
  readonly domain: string
  readonly instance: string
  readonly line: string
  readonly turn: number
  /** How deep the step writes. */
  readonly depth: number
}

/** A moment that has come: the end of a rest, or that of the time of an instance. */
export interface TimerJob {
  readonly domain: string
  readonly instance: string
  /** Undefined: the time of the instance is over. */
  readonly line?: string | undefined
  readonly turn?: number | undefined
  readonly until: string
}

/** What the workflows of a server have in common. */
export interface Server {
  readonly env: Environment
  readonly bus: Bus
  readonly log: Logger
  readonly newId: () => string
  readonly steps: JobKind<StepJob>
  readonly timers: JobKind<TimerJob>
}

/** A domain as its instances find it: the model in force, with what they keep there. */
export interface Setting extends Server {
  readonly model: Model
  readonly tables: Tables
  readonly rows: Rows
  readonly texts: Texts
  readonly waits: Waits
  /** Tells the bus of an instance that has begun or ended: it is committed. */
  announce(instance: string, workflow: string, event: string): void
  /** The records of the domain. Throws UNAVAILABLE where the model is not in force on this server. */
  data(): Data
}
