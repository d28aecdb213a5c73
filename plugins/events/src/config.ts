import { z } from 'zod'

/** The configuration section `events`. */
export const config = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      'Keep what happens to records for those outside: the live stream and webhook endpoints; where false both answer 503',
    ),
  retention_hours: z
    .number()
    .positive()
    .max(24 * 366)
    .default(72)
    .describe('How long events are kept for who comes back'),
  max_streams: z
    .int()
    .min(0)
    .max(100_000)
    .default(1000)
    .describe('How many live streams may be open at once on a server'),
})
export type EventsConfig = z.output<typeof config>
