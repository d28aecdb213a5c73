import { z } from 'zod'

/** The configuration section `schedules`. */
export const config = z.strictObject({
  heartbeat_seconds: z
    .number()
    .min(0.1)
    .max(3600)
    .default(60)
    .describe('How often schedules are looked at: what is due fires at the next heartbeat'),
  retention_days: z
    .int()
    .min(1)
    .max(36_500)
    .default(90)
    .describe('After how many days entries of firings that are over go; the marks that they fired stay'),
})
export type SchedulesConfig = z.output<typeof config>
