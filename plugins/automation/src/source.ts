import { z } from 'zod'

/** What brought something about: the rule, schedule, workflow or template, its step, and the entry in its ledger. */
export interface Source {
  readonly kind: 'rule' | 'schedule' | 'workflow' | 'template'
  readonly name: string
  readonly step: string | null
  /** The id of the firing, the instance, the document, or the entry of the log. */
  readonly id: string | null
}

/** The same in answers. */
export const SourceAnswer = z.object({
  kind: z.enum(['rule', 'schedule', 'workflow', 'template']).describe('What brought it about.'),
  name: z.string().describe('Its name in the definition.'),
  step: z.string().nullable().describe('The step of a workflow, or the tag of a tier.'),
  id: z
    .string()
    .nullable()
    .describe('Its entry: the id of the instance, the firing, the document, or the entry of the log.'),
})
