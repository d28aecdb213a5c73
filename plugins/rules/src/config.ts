import { z } from 'zod'

/** The section `rules` of the configuration. */
export const RulesConfig = z
  .strictObject({
    retention_days: z
      .int()
      .min(1)
      .max(36_500)
      .optional()
      .describe('For how many days entries of the log of rules are kept; for good unless said.'),
  })
  .prefault({})
  .describe('Rules of domains.')
export type RulesConfig = z.output<typeof RulesConfig>
