import type { Warning } from '@svc/kernel'
import type { Model } from '../model/model.ts'
import type { Runtime } from '../runtime.ts'

/** What reading needs of the world, whichever resource is read. */
export interface Reading {
  readonly model: Model
  readonly runtime: Runtime
  warn(warning: Warning): void
}
