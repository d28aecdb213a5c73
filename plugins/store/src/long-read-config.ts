import { z } from 'zod'
import type { LongReadLimits } from './long-reads.ts'

/** The limits of a configured store that has room for `most` long reads. */
export const longReadLimits = (
  config: { readonly [Key in keyof typeof longReadConfig]: number },
  most: number,
): LongReadLimits => ({
  most: Math.max(1, most),
  wait: config.long_read_wait_ms,
  idle: config.long_read_idle_ms,
  longest: config.long_read_timeout_ms,
})

/** Keys of both stores' sections: how long the reader of an export may take. */
export const longReadConfig = {
  long_read_wait_ms: z
    .int()
    .min(1)
    .max(86_400_000)
    .default(15_000)
    .describe(
      'How long one more export, on SQLite also a list or a sum that goes through a large table, waits for room, in milliseconds; then it is 503 UNAVAILABLE',
    ),
  long_read_idle_ms: z
    .int()
    .min(1)
    .max(86_400_000)
    .default(20_000)
    .describe(
      'How long an export may wait for its client to take what it has read, in milliseconds; then it is broken off',
    ),
  long_read_timeout_ms: z
    .int()
    .min(1)
    .max(86_400_000)
    .default(3_600_000)
    .describe('How long an export may take in all, in milliseconds; then it is broken off'),
}
