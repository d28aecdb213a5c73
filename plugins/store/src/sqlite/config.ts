import { z } from 'zod'
import { longReadConfig } from '../long-read-config.ts'

/** The section `sqlite`. */
export const sqliteConfig = z.strictObject({
  path: z
    .string()
    .min(1)
    .refine((path) => path !== ':memory:' && !path.startsWith('file:'), {
      error:
        'must be a file: readers and the writer have connections of their own, which a memory database has not',
    })
    .default('data.db')
    .describe('The database file; it and its folder are created where they are missing'),
  name: z.string().min(1).default('default').describe('The name that other sections refer to this store by'),
  pool_size: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe(
      'The most connections for reading; they open when they are needed, beside the one that writes. One serves all short reads, the others one long read each',
    ),
  synchronous: z
    .enum(['full', 'normal'])
    .default('full')
    .describe(
      'full: a committed write survives a loss of power; normal: it survives a crash of the process only',
    ),
  ...longReadConfig,
})

export type SqliteConfig = z.output<typeof sqliteConfig>
