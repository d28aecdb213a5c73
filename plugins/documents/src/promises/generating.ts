import { z } from 'zod'

/** The work of generating one document that was promised. */
export const Generating = z.strictObject({ domain: z.string(), id: z.string() })
export type Generating = z.output<typeof Generating>
