import { eventsOf, triggerKeys } from '@svc/automation/contract'
import { z } from 'zod'

const { resource, transition, field, fields, condition } = triggerKeys

const TriggerDefinition = z
  .strictObject({
    resource: resource.optional(),
    event: eventsOf(['create', 'update', 'delete', 'restore', 'transition', 'fieldChange']).optional(),
    transition: transition.optional(),
    field: field.optional(),
    fields: fields.optional(),
    condition: condition.optional(),
    schedule: z.json().optional().describe('Not supported by this version.'),
  })
  .describe('What sets the operation off by itself.')

/** One trigger, or several. */
export const TriggersDefinition = z.union([TriggerDefinition, z.array(TriggerDefinition).min(1)])
export type TriggersDefinition = z.output<typeof TriggersDefinition>
