import type { Arrival, Warning } from '@svc/kernel'
import type { Model } from '../model/model.ts'
import type { Runtime } from '../runtime.ts'

/** What reading needs of the world, whichever resource is read. */
export interface Reading {
  readonly model: Model
  readonly runtime: Runtime
  /** What the message came in with that is read for. */
  readonly arrival?: Arrival | undefined
  warn(warning: Warning): void
}
