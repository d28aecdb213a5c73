import type { Facts } from '@svc/domain/contract'
import type { AppError } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { Integration } from '../integration.ts'
import type { Operation } from '../operation.ts'
import type { Finds } from '../mapping/finds.ts'
import type { Built } from '../wire/message.ts'
import type { SetOff } from './actor.ts'

/** One operation that is done for one record, or call. */
export interface Run extends SetOff {
  readonly id: string
  readonly integration: Integration
  readonly operation: Operation
  readonly facts: Facts
  /** What every attempt sends; undefined until it is made. */
  built: Built | undefined
  readonly resource: string | null
  readonly recordId: string | null
  readonly depth: number
  readonly chain: number
  /** Attempts that were made. */
  attempts: number
  /** Whether somebody waits for the end, and is told what is in the way. */
  readonly isByHand: boolean
  /** Whether there is a row of it. */
  isKept: boolean
  /** What it looks for in other records. */
  readonly finds: Finds
  /** The dead letter that it tries again. */
  readonly letter: string | undefined
}

/** How a run has ended. */
export interface Ended {
  readonly status: 'succeeded' | 'skipped' | 'failed'
  readonly attempts: number
  readonly responseStatus: number | null
  readonly response: Value
  /** Whether nobody but whoever asked may have the response. */
  readonly isSecret?: boolean
  readonly written: readonly Row[]
  /** What the mappings of its writes have made. */
  readonly mapped?: Row
  /** Why it failed, as whoever asked is told. */
  readonly error: AppError | undefined
  readonly letter: string | null
}

/** Where a run stands after a step. */
export type Step =
  | { readonly over: Ended }
  /** It goes on after a while: the other side is left alone, or what may be sent has been sent. */
  | { readonly waitMs: number; readonly reason: 'retry' | 'breaker' | 'limit' | 'connection' }

export const SKIPPED: Ended = {
  status: 'skipped',
  attempts: 0,
  responseStatus: null,
  response: null,
  written: [],
  error: undefined,
  letter: null,
}
