import { z } from 'zod'

/** Events were found that may end the rest of a line. */
export const HearJob = z.strictObject({ domain: z.string(), line: z.string(), turn: z.int() })
export type HearJob = z.input<typeof HearJob>

/** Events were found that many rests hear. */
export const DomainJob = z.strictObject({ domain: z.string() })
export type DomainJob = z.input<typeof DomainJob>

/** What is found is asked about for as long as a server may be out of order: nobody would find it again. */
export const WAIT_DELAYS_MS: readonly number[] = [
  1000,
  5000,
  25_000,
  125_000,
  ...Array.from({ length: 200 }, () => 600_000),
]
