import { z } from 'zod'
import { StepDefinition, TimeoutDefinition } from './step.ts'
import { TriggerDefinition } from './trigger.ts'

/** A workflow: what starts it, and its steps. */
export const WorkflowDefinition = z
  .strictObject({
    description: z.string().optional().describe('What it is for, for people.'),
    trigger: TriggerDefinition.optional().describe(
      'The write of a record that starts an instance; without it instances start by hand or by a schedule alone.',
    ),
    start: z.string().min(1).optional().describe('The first step; the first of the text unless said.'),
    steps: z.record(z.string(), StepDefinition).describe('The steps by name.'),
    timeout: TimeoutDefinition.optional(),
    onError: z
      .union([z.string().min(1), StepDefinition])
      .optional()
      .describe('The step that runs once where an instance fails, or its name; it has `$error`.'),
    enabled: z.boolean().default(true).describe('Whether writes start instances.'),
  })
  .meta({ id: 'Workflow' })
export type WorkflowDefinition = z.output<typeof WorkflowDefinition>

/** The key `workflows` of a domain. */
export const WorkflowDefinitions = z
  .record(z.string(), WorkflowDefinition)
  .describe('What follows from writes over days: steps, waits and branches that survive restarts.')
