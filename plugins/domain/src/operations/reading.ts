import type { Arrival, Warning } from '@svc/kernel'
import type { Restricted } from '../contract/restriction.ts'
import type { Model } from '../model/model.ts'
import type { Runtime } from '../runtime.ts'

/** What reading needs of the world, whichever resource is read. */
export interface Reading {
  readonly model: Model
  readonly runtime: Runtime
  /** What the message came in with that is read for. */
  readonly arrival?: Arrival | undefined
  /** What is done with the records besides: what blocks keep from that is not among those that come along. */
  readonly also?: readonly Restricted[]
  warn(warning: Warning): void
}
