import { z } from 'zod'

/** The configuration section `jobs`. */
export const config = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      'Do work that is due; where false this server serves and queues, and others of the database work',
    ),
  workers: z
    .int()
    .min(1)
    .max(100)
    .default(4)
    .describe('How many pieces of work run at once; kinds with workers of their own do not count'),
  poll_seconds: z
    .number()
    .min(0.1)
    .max(60)
    .default(1)
    .describe('How often the server looks for work that others have put, or that has become due'),
  lease_seconds: z
    .number()
    .min(1)
    .max(3600)
    .default(30)
    .describe('How long after a server was last heard of another one takes over what it had begun'),
  retention_days: z
    .int()
    .min(1)
    .max(3650)
    .default(90)
    .describe('After how many days work that was put aside as failed goes'),
  drain_timeout_ms: z
    .int()
    .min(0)
    .max(3_600_000)
    .default(10_000)
    .describe(
      'How long work under way may take once the server stops; what is left is free for others at once',
    ),
})
export type JobsConfig = z.output<typeof config>
