import { z } from 'zod'

/** The configuration section `notifications`. */
export const config = z.strictObject({
  retry_seconds: z
    .array(z.number().min(0).max(604_800))
    .max(50)
    .default([5, 300, 1800, 7200, 18_000, 36_000, 36_000])
    .describe('The pauses before each further try of a message that could not be handed over'),
  timeout_ms: z
    .int()
    .min(100)
    .max(300_000)
    .default(15_000)
    .describe(
      'How long a webhook, or the mail server, may take for a message, from the look-up of its name on',
    ),
  retention_days: z
    .number()
    .min(1)
    .max(36_500)
    .default(90)
    .describe('How long messages are kept that were sent, logged, or failed for good'),
})

export type NotificationsConfig = z.output<typeof config>
