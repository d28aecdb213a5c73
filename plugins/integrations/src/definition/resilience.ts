import { DurationText } from '@svc/automation/contract'
import { NotificationDefinition } from '@svc/notifications/contract'
import { z } from 'zod'

/** What may be tried again besides statuses. */
export const RETRY_CAUSES = ['4xx', '5xx', 'network', 'timeout', 'condition'] as const

export const RetryDefinition = z
  .strictObject({
    maxAttempts: z
      .int()
      .min(1)
      .max(20)
      .optional()
      .describe('How often at most, the first included: 3 unless said.'),
    backoff: z
      .enum(['exponential', 'fixed'])
      .optional()
      .describe('exponential doubles the pause each time and takes half to all of it; fixed keeps it.'),
    baseDelay: DurationText.optional().describe('The first pause: 1s unless said.'),
    maxDelay: DurationText.optional().describe('The longest pause: 30s unless said.'),
    retryOn: z
      .array(z.union([z.int().min(400).max(599), z.enum(RETRY_CAUSES)]))
      .min(1)
      .optional()
      .describe('What is tried again: network, timeout, 408, 425, 429, 500, 502, 503 and 504 unless said.'),
  })
  .describe('How often something is tried that fails; one attempt where nothing is written.')
export type RetryDefinition = z.output<typeof RetryDefinition>

const CircuitBreakerDefinition = z
  .strictObject({
    enabled: z.boolean().optional().describe('true unless said.'),
    failureThreshold: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('How many attempts in a row have to fail until it opens: 5 unless said.'),
    successThreshold: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('How many have to go well, one at a time, until it closes: 2 unless said.'),
    timeout: DurationText.optional().describe('How long it stays open: 30s unless said.'),
  })
  .describe('Sends nothing for a while to another side that fails.')

const RateLimitDefinition = z
  .strictObject({
    requestsPerSecond: z.number().positive().max(100_000).describe('How many a second; may be below 1.'),
    burstSize: z.int().min(1).max(100_000).optional().describe('How many may leave at once: 1 unless said.'),
    onExceeded: z
      .enum(['queue', 'reject', 'backoff'])
      .optional()
      .describe('What becomes of more: they wait in turn (queue), are refused, or wait as retries do.'),
  })
  .describe('How much is sent at most.')

export const NOTICES = ['added', 'exhausted', 'circuitOpen'] as const
export type Notice = (typeof NOTICES)[number]

const DeadLetterDefinition = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .describe('true unless said; if not, what fails for good stands in the log alone.'),
    maxRetries: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe('How often one may be retried by hand: 3 unless said.'),
    notifyOn: z
      .union([
        z.array(z.enum(NOTICES)),
        z.strictObject({
          on: z.array(z.enum(NOTICES)).min(1).describe('What is told.'),
          notification: NotificationDefinition,
        }),
      ])
      .optional()
      .describe('What administrators are told in the log: [added] unless said; or what to tell, and how.'),
  })
  .describe('Where runs go that failed for good.')

/** The keys of resilience, which stand in an integration or below `resilience`. */
export const resilienceKeys = {
  retry: RetryDefinition.optional(),
  circuitBreaker: CircuitBreakerDefinition.optional(),
  rateLimit: RateLimitDefinition.optional(),
  deadLetter: DeadLetterDefinition.optional(),
} as const

export const ResilienceDefinition = z.strictObject(resilienceKeys).describe('The same keys in one place.')
export type ResilienceDefinition = z.output<typeof ResilienceDefinition>
