import { errors } from '@svc/kernel'
import type { FailureLimit } from '@svc/ratelimit/contract'

/** Throws RATE_LIMITED while a key is blocked; `what` says of what there were too many. */
export function assertFree(limit: FailureLimit | undefined, key: string, what: string): void {
  const seconds = limit?.blocked(key) ?? 0
  if (seconds === 0) return
  throw errors.RATE_LIMITED({
    message: `${what}: wait ${seconds} seconds`,
    headers: { 'Retry-After': String(Math.ceil(seconds)) },
  })
}
