import { z } from 'zod'

/** The section `cache`. */
export const cacheConfig = z.strictObject({
  max_mb: z
    .int()
    .min(1)
    .max(4096)
    .default(32)
    .describe('The most memory that kept answers take, in MiB; those that nobody asked for longest go first'),
})

export type CacheConfig = z.output<typeof cacheConfig>
