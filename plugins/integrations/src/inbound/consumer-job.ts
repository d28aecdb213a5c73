import { z } from 'zod'

/** One consumer, for as long as the definition has it. */
export const ConsumerPayload = z.strictObject({
  domain: z.string(),
  integration: z.string(),
  operation: z.string(),
  /** Which of those that are at work at once. */
  at: z.int(),
  text: z.string(),
})
export type ConsumerJob = z.output<typeof ConsumerPayload>
