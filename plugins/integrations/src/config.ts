import { z } from 'zod'

/** The configuration section `integrations`. */
export const config = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether operations of integrations are done; if not, they answer 503 and nothing is sent'),
  max_body_bytes: z
    .int()
    .min(1024)
    .max(104_857_600)
    .default(1_048_576)
    .describe('The most that a body may have, sent or answered, once it is decompressed'),
  concurrency: z.int().min(1).max(1000).default(16).describe('How many runs one server does at once'),
  log_retention_days: z
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('For how many days entries of the log, and runs that are over, are kept'),
})
export type IntegrationsConfig = z.output<typeof config>
