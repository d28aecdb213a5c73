import type { Caller } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'

/** Records of which stored formulas are still to be worked out, since what these find in other records has changed. */
export interface Due {
  readonly resource: Resource
  readonly fields: readonly string[]
  readonly keys: readonly Exclude<Value, null>[]
}

/** The write that has left something for later, as far as what follows it is done in its name. */
export interface LeftBy {
  readonly domain: string
  readonly caller: Caller
  readonly requestId: string
  readonly depth: number
  readonly origin: string | undefined
}
