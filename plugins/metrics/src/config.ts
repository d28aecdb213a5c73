import { z } from 'zod'

/** Where the metrics are served. */
export const config = z.strictObject({
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on; whoever reaches it can read the metrics'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Port to listen on, 0 for any free one; without it no metrics are kept'),
})
