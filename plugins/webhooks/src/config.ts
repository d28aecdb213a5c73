import { z } from 'zod'

/** The configuration section `webhooks`. */
export const config = z.strictObject({
  timeout_ms: z
    .int()
    .min(100)
    .max(60_000)
    .default(15_000)
    .describe('How long a receiver may take, from the look-up of its name to the end of its answer'),
  retention_days: z
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('After how many days deliveries go that are over'),
  disable_after_hours: z
    .number()
    .positive()
    .max(8760)
    .default(120)
    .describe('How long an endpoint may fail, without a success between, before it is disabled'),
  max_endpoints: z.int().min(0).max(10_000).default(100).describe('How many endpoints there may be'),
})
export type WebhooksConfig = z.output<typeof config>
