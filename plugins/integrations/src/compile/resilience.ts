import { compileDuration } from '@svc/automation/contract'
import type { Path, Site } from '@svc/domain/contract'
import type { ResilienceDefinition, RetryDefinition } from '../definition/resilience.ts'
import { type BreakerPolicy, type Resilience, RETRIED, type RetryPolicy, USUAL_RETRY } from '../policies.ts'

const KEYS = ['retry', 'circuitBreaker', 'rateLimit', 'deadLetter'] as const

/** Compiles the keys of resilience of an integration. */
export function compileResilience(
  written: ResilienceDefinition & { readonly resilience?: ResilienceDefinition | undefined },
  path: Path,
  site: Site,
): Resilience {
  const { resilience = {} } = written
  for (const key of KEYS)
    if (written[key] !== undefined && resilience[key] !== undefined)
      site.problem([...path, 'resilience', key], `'${key}' is written twice`, 'Take one of them away')
  const at = (key: (typeof KEYS)[number]): Path =>
    resilience[key] === undefined ? [...path, key] : [...path, 'resilience', key]
  const { retry, circuitBreaker, rateLimit, deadLetter = {} } = { ...written, ...resilience }
  const { enabled: hasLetters = true, maxRetries = 3, notifyOn = ['added'] } = deadLetter
  const notices = Array.isArray(notifyOn) ? notifyOn : notifyOn.on
  return {
    retry: retry && compileRetry(retry, at('retry'), site),
    breaker: circuitBreaker && breakerOf(circuitBreaker, at('circuitBreaker'), site),
    limit: rateLimit && {
      requestsPerSecond: rateLimit.requestsPerSecond,
      burstSize: rateLimit.burstSize ?? 1,
      onExceeded: rateLimit.onExceeded ?? 'queue',
    },
    deadLetter: hasLetters ? { maxRetries, notices: new Set(notices) } : undefined,
  }
}

/** Compiles the key `retry`. */
export function compileRetry(written: RetryDefinition, path: Path, site: Site): RetryPolicy {
  const { maxAttempts = 3, backoff = 'exponential', baseDelay, maxDelay, retryOn = RETRIED } = written
  const baseMs = duration(baseDelay, [...path, 'baseDelay'], site) ?? USUAL_RETRY.baseMs
  const maxMs = duration(maxDelay, [...path, 'maxDelay'], site) ?? Math.max(USUAL_RETRY.maxMs, baseMs)
  if (baseMs > maxMs)
    site.problem([...path, 'maxDelay'], "is shorter than 'baseDelay'", 'Let it be as long at least')
  return { maxAttempts, isFixed: backoff === 'fixed', baseMs, maxMs, on: new Set(retryOn) }
}

type BreakerDefinition = NonNullable<ResilienceDefinition['circuitBreaker']>

function breakerOf(written: BreakerDefinition, path: Path, site: Site): BreakerPolicy | undefined {
  const { enabled = true, failureThreshold = 5, successThreshold = 2, timeout } = written
  const openMs = duration(timeout, [...path, 'timeout'], site) ?? 30_000
  return enabled ? { failureThreshold, successThreshold, openMs } : undefined
}

const duration = (written: string | undefined, path: Path, site: Site): number | undefined =>
  written === undefined ? undefined : compileDuration(written, path, site, { least: '1ms', most: '1d' })?.ms
