import { actionKeys, DurationText, EVENTS, STEP_ACTIONS, triggerKeys } from '@svc/automation/contract'
import { NotificationDefinition } from '@svc/notifications/contract'
import { z } from 'zod'

const step = z.string().min(1)
const expression = z.string().min(1)

/** The most branches of a decide or of a parallel. */
export const MAX_BRANCHES = 50

/** The keys of an action, wherever a workflow has one. */
const doing = {
  target: actionKeys.target.optional(),
  input: actionKeys.input.optional(),
  transition: actionKeys.transition.optional(),
  recordId: actionKeys.recordId.optional(),
  notification: NotificationDefinition.optional().describe('action: notify: the message that is raised.'),
}

/** Plugins add kinds of their own: which are there is known when a definition is compiled. */
const action = actionKeys.action.meta({
  description:
    'What the step does, in one transaction: create, update, transition, notify, template or noop.',
  examples: [...STEP_ACTIONS],
})

/** What a wait may say outside of its own map, too. */
const ending = {
  condition: expression
    .optional()
    .describe(
      'What has to be true of the event that ended the wait: then goes on to `then`, else to `else`.',
    ),
  then: step.optional().describe('The step that follows, or `end`; unless said the next of the text.'),
  else: step
    .optional()
    .describe('Where a wait goes on whose `condition` is not true; as without `then` unless said.'),
}

export const WaitDefinition = z
  .strictObject({
    resource: triggerKeys.resource
      .optional()
      .describe('The resource whose event ends the wait; without it the step rests for `timeout.duration`.'),
    event: z.enum(EVENTS).optional().describe('What has to happen to a record.'),
    transition: triggerKeys.transition.optional(),
    field: triggerKeys.field.optional(),
    fields: triggerKeys.fields.optional(),
    history: triggerKeys.history.optional(),
    filter: expression
      .optional()
      .describe(
        "Which records' events count: an expression about the event's record, such as `id == $trigger.record.id`.",
      ),
    timeout: z
      .strictObject({
        duration: DurationText.describe('How long it rests at most.'),
        then: step.optional().describe('Where it goes on when that is over; required beside `resource`.'),
      })
      .optional()
      .describe('When the wait ends whatever happens.'),
    ...ending,
  })
  .describe('Rests until something happens to a record, or for a while.')
  .meta({ id: 'WorkflowWait' })
export type WaitDefinition = z.output<typeof WaitDefinition>

const Branch = z
  .strictObject({
    condition: expression
      .optional()
      .describe('An expression; the first branch for which it is true is taken.'),
    default: z.literal(true).optional().describe('Says that this branch is taken where none is true.'),
    then: step.describe('The step that follows, or `end`.'),
  })
  .meta({ id: 'WorkflowBranch' })

const DecideDefinition = z
  .array(Branch)
  .describe('Goes on with the first branch whose condition is true, or with the default.')

const Parallel = z
  .strictObject({
    mode: z
      .enum(['all', 'any'])
      .default('all')
      .describe('all: goes on when every branch has ended; any: when the first has.'),
    get steps() {
      return z
        .union([z.array(step), z.record(z.string(), StepDefinition)])
        .describe('The branches: a list of names of steps, or steps written here by their names.')
    },
  })
  .describe('Runs branches side by side.')
  .meta({ id: 'WorkflowParallel' })

const ForEach = z
  .strictObject({
    collection: z
      .union([
        expression,
        z.strictObject({
          resource: z
            .string()
            .min(1)
            .describe('The resource whose records are the items, in the order of their keys.'),
          filter: expression.optional().describe('Which of them; all unless said.'),
        }),
      ])
      .describe('The items: an expression for a list, or the records of a resource.'),
    as: z.string().min(1).default('item').describe('The name of the item after `$`, beside `$item`.'),
    get step() {
      return z.union([step, StepDefinition]).describe('What runs for each item, one after the other.')
    },
  })
  .describe('Runs a step for each item of a list.')
  .meta({ id: 'WorkflowForEach' })

/** A step: exactly one of action, wait, decide, parallel and forEach. */
export const StepDefinition = z
  .strictObject({
    action: action.optional(),
    ...doing,
    wait: WaitDefinition.optional(),
    decide: DecideDefinition.optional(),
    get parallel() {
      return Parallel.optional()
    },
    get forEach() {
      return ForEach.optional()
    },
    ...ending,
  })
  .meta({ id: 'WorkflowStep' })
export type StepDefinition = z.output<typeof StepDefinition>

/** What is done when the time of a workflow is over. */
export const TimeoutDefinition = z
  .strictObject({
    duration: DurationText.describe('How long an instance may take.'),
    action: action.default('noop'),
    ...doing,
  })
  .describe('When an instance ends whatever it is at, and what is done then.')
  .meta({ id: 'WorkflowTimeout' })
