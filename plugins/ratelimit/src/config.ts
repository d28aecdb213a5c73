import { z } from 'zod'

/** How often one client may call, and how often a login may fail. */
export const config = z.strictObject({
  enabled: z.boolean().default(true).describe('False lets every request and every login try pass'),
  window_seconds: z.int().min(1).max(86_400).default(60).describe('Length of the window, in seconds'),
  max_requests: z.int().min(1).default(6000).describe('Requests that one client address has in a window'),
  login_failures: z
    .int()
    .min(1)
    .default(10)
    .describe(
      'Failed logins that one account has from one client address in 900 seconds, by whatever name it is called',
    ),
})

export type RateLimitConfig = z.output<typeof config>
