import { z } from 'zod'

/** The configuration section `seeder`. */
export const config = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether the seed manifest may be used at all'),
    run_on_start: z.boolean().default(false).describe('Apply the seed manifest at every start'),
    seed_file: z
      .string()
      .min(1)
      .optional()
      .describe('The seed manifest, a YAML file; required where run_on_start is true'),
  })
  .refine(({ run_on_start, seed_file }) => !run_on_start || seed_file !== undefined, {
    path: ['seed_file'],
    error: 'is required where run_on_start is true',
  })
