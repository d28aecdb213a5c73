import { z } from 'zod'
import { WrittenTiers } from './tiers.ts'

/** The configuration section `media`. */
export const config = z
  .strictObject({
    permissions: WrittenTiers.default({}).describe(
      'Who may do what in the libraries of domains that do not say it themselves; every signed-in caller unless said',
    ),
  })
  .prefault({})
export type MediaConfig = z.output<typeof config>
