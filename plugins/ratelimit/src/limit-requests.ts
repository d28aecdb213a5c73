import { errors, type Step } from '@svc/kernel'
import { clientKey } from './client-key.ts'
import type { RateLimitConfig } from './config.ts'
import type { Clock } from './steady-clock.ts'
import { createWindowLimit } from './window-limit.ts'

const MAX_CLIENTS = 50_000

/** Lets a client make its requests of the window and refuses the next; every answer tells what is left. */
export function limitRequests(config: RateLimitConfig, clock: Clock): Step {
  const { max_requests: max, window_seconds } = config
  const limit = createWindowLimit({ max, windowMs: window_seconds * 1000, maxKeys: MAX_CLIENTS, clock })
  const quota = String(max)
  return ({ request, headers }) => {
    const { isFree, remaining, waitMs } = limit.take(clientKey(request.remote))
    const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)))
    headers['RateLimit-Limit'] = quota
    headers['RateLimit-Remaining'] = String(remaining)
    headers['RateLimit-Reset'] = seconds
    if (isFree) return
    throw errors.RATE_LIMITED({
      message: `Too many requests: wait ${seconds} s and try again`,
      headers: { 'Retry-After': seconds },
    })
  }
}
