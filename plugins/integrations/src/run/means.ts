import type { Data, Model } from '@svc/domain/contract'
import type { Breaker } from '../gates/breaker.ts'
import type { Limiter } from '../gates/limiter.ts'
import type { Integration } from '../integration.ts'
import type { Parts } from '../parts.ts'
import type { Tables } from '../tables/tables.ts'

/** What stands between runs and the other side of an integration. */
export interface Gates {
  readonly breaker: Breaker | undefined
  readonly limiter: Limiter | undefined
  /** How many wait in this process for a token, and how many found none since it began. */
  waiting: number
  rejected: number
}

/** The integrations of a model, and what they are run with. */
export interface Setting {
  readonly model: Model
  readonly tables: Tables
  readonly integrations: ReadonlyMap<string, Integration>
  gates(integration: Integration): Gates
  readonly parts: Parts
}

/** The same while the model is in force. */
export interface Means extends Setting {
  readonly data: Data
}
