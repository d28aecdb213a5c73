import { z } from 'zod'

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'critical'] as const

/** The `logging` section. */
export const LoggingConfig = z.strictObject({
  level: z.enum(LEVELS).default('info').describe('The least severe events that are written'),
  format: z.enum(['text', 'json']).default('text').describe('Lines for people, or one JSON object a line'),
  access: z
    .boolean()
    .default(false)
    .describe('Writes a line for each request over HTTP, at the level `info`'),
  file: z
    .strictObject({
      path: z.string().min(1).describe('The log file; older ones get .1, .2 and so on'),
      max_size_mb: z.number().positive().default(10).describe('Size in MiB at which the file is rotated'),
      max_files: z.int().min(1).default(3).describe('How many files are kept, the current one included'),
    })
    .optional()
    .describe('Writes to this file instead of standard output'),
})
export type LoggingConfig = z.infer<typeof LoggingConfig>
