import { EVENTS, triggerKeys } from '@svc/automation/contract'
import { z } from 'zod'

/** What starts instances of a workflow. */
export const TriggerDefinition = z
  .strictObject({
    resource: triggerKeys.resource.optional(),
    event: z
      .enum(EVENTS)
      .optional()
      .describe('What happens to a record; without it instances start by hand or by a schedule alone.'),
    transition: triggerKeys.transition.optional(),
    field: triggerKeys.field.optional(),
    fields: triggerKeys.fields.optional(),
    history: triggerKeys.history.optional(),
    condition: triggerKeys.condition.optional(),
  })
  .meta({ id: 'WorkflowTrigger' })
export type TriggerDefinition = z.output<typeof TriggerDefinition>
