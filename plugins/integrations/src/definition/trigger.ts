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
    schedule: z
      .string()
      .min(1)
      .optional()
      .describe("In place of an event, when it recurs, as in 'daily at 06:00': a run for each record."),
    timezone: z.string().min(1).optional().describe('Whose clocks count; those of the domain unless said.'),
    filter: z
      .string()
      .min(1)
      .optional()
      .describe('Of a schedule: which records it is about; all unless said.'),
  })
  .describe('What sets the operation off by itself.')

export type TriggerDefinition = z.output<typeof TriggerDefinition>

/** One trigger, or several. */
export const TriggersDefinition = z.union([TriggerDefinition, z.array(TriggerDefinition).min(1)])
export type TriggersDefinition = z.output<typeof TriggersDefinition>
