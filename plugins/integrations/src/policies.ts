import type { CompiledNotification } from '@svc/notifications/contract'
import type { Notice } from './definition/resilience.ts'

/** How often something is tried that fails. */
export interface RetryPolicy {
  readonly maxAttempts: number
  readonly isFixed: boolean
  readonly baseMs: number
  readonly maxMs: number
  /** Statuses, and causes by name. */
  readonly on: ReadonlySet<number | string>
}

export interface BreakerPolicy {
  readonly failureThreshold: number
  readonly successThreshold: number
  readonly openMs: number
}

export interface LimitPolicy {
  readonly requestsPerSecond: number
  readonly burstSize: number
  readonly onExceeded: 'queue' | 'reject' | 'backoff'
}

export interface DeadLetterPolicy {
  readonly maxRetries: number
  readonly notices: ReadonlySet<Notice>
}

/** Who is told of dead letters and open breakers, and of which. */
export interface Notices {
  readonly on: ReadonlySet<Notice>
  readonly notification: CompiledNotification | undefined
}

/** What an integration does about what fails; undefined: nothing. */
export interface Resilience {
  readonly retry: RetryPolicy | undefined
  readonly breaker: BreakerPolicy | undefined
  readonly limit: LimitPolicy | undefined
  readonly deadLetter: DeadLetterPolicy | undefined
}

/** What is tried again unless said. */
export const RETRIED: readonly (number | string)[] = ['network', 'timeout', 408, 425, 429, 500, 502, 503, 504]

/** The retries where a key that needs some says nothing of them. */
export const USUAL_RETRY: RetryPolicy = {
  maxAttempts: 3,
  isFixed: false,
  baseMs: 1000,
  maxMs: 30_000,
  on: new Set(RETRIED),
}
