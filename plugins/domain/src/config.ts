import { z } from 'zod'

/** The section `domain`. */
export const domainConfig = z.strictObject({
  domain_file: z
    .union([z.string().min(1), z.array(z.string().min(1))])
    .transform((files) => (typeof files === 'string' ? [files] : files))
    .default([])
    .describe('The definition to apply at start, or several; each is applied when it has changed since'),
  watch: z
    .boolean()
    .optional()
    .describe(
      'Whether a domain_file is applied again when it, or a file that it includes, has changed while the server runs; unless said, in development alone',
    ),
  db_path: z.string().optional().describe('Accepted and not used: everything is kept in the store'),
  app_db_path: z.string().optional().describe('Accepted and not used: everything is kept in the store'),
  env_allow: z
    .array(z.string().min(1))
    .default(['SVC_DOMAIN_*'])
    .describe('Variables that a submitted definition may read, by name or as PREFIX_*'),
  bulk_limit: z
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe('The most items that one bulk request or import may hold'),
  allow_destructive: z
    .boolean()
    .default(false)
    .describe('Whether a changed domain_file may drop or narrow what is stored'),
})

export type DomainConfig = z.output<typeof domainConfig>
