import { z } from 'zod'

/** The configuration section `workflows`. */
export const config = z.strictObject({
  retention_days: z
    .int()
    .min(1)
    .max(3650)
    .default(90)
    .describe('After how many days instances that are over go, with their steps'),
})
export type WorkflowsConfig = z.output<typeof config>
