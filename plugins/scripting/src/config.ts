import { z } from 'zod'

/** The configuration section `scripting`. */
export const config = z.strictObject({
  dir: z.string().min(1).optional().describe('The folder of the scripts (*.js); without it no script runs'),
  timeout_ms: z
    .int()
    .min(1)
    .max(60_000)
    .default(1000)
    .describe(
      'How long one handler may take, in milliseconds: its own processor time, and the time that it waits for the actions that it calls; a script has as much processor time to load',
    ),
  memory_mb: z
    .int()
    .min(1)
    .max(1024)
    .default(32)
    .describe('How much memory one script may hold, in MiB; less than 16 counts as 16'),
})
