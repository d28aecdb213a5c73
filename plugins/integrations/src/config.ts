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
})
