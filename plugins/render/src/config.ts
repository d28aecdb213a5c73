import { z } from 'zod'

/** The configuration section `render`. */
export const config = z.strictObject({
  workers: z
    .int()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'How many documents are made at once, each in a process of its own; one less than there are processors, 4 at most',
    ),
  memory_mb: z
    .int()
    .min(256)
    .max(65_536)
    .default(1024)
    .describe('The memory in MiB that making one document may take'),
})
