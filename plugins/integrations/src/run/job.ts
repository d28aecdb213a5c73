import { z } from 'zod'

/** What a job of a run has to know. */
export const RunJobPayload = z.strictObject({
  domain: z.string(),
  run: z.string(),
  /** Runs of one lane go one after the other: those of one integration about one record that were set off. */
  lane: z.string(),
})
export type RunJob = z.output<typeof RunJobPayload>
