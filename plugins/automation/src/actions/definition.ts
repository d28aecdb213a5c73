import { z } from 'zod'

/** What steps of workflows do. */
export const STEP_ACTIONS = ['create', 'update', 'transition', 'notify', 'noop', 'template'] as const
/** What schedules do besides. */
export const SCHEDULE_ACTIONS = [...STEP_ACTIONS, 'delete', 'archive', 'workflow', 'report'] as const

/** What the language itself knows to do; plugins add kinds of their own. */
export type OwnAction = (typeof SCHEDULE_ACTIONS)[number]

const name = z.string().min(1)

/** The keys by which definitions say what is to be done, but for `notification`, whose schema its own plugin has. */
export const actionKeys = {
  action: name.meta({
    description: `What is done: ${SCHEDULE_ACTIONS.join(', ')}. delete, archive, workflow and report are for schedules alone.`,
    examples: [...SCHEDULE_ACTIONS],
  }),
  target: name.describe(
    'What it is done to: the resource of create, update and transition, the record at hand unless said; the workflow, template or report of these.',
  ),
  input: z
    .record(z.string(), z.json())
    .describe('Values by field: as they stand, or by expression ($record.total, $(addDays(dueOn, 14))).'),
  transition: name.describe('action: transition: the transition that is made.'),
  recordId: z
    .union([z.string().min(1), z.number()])
    .describe('The key of the record of target that is meant, most often an expression.'),
} as const

/** What is written of an action, in whatever place. */
export interface ActionDefinition {
  readonly action: string
  readonly target?: string | undefined
  readonly input?: Readonly<Record<string, unknown>> | undefined
  readonly transition?: string | undefined
  readonly recordId?: string | number | undefined
  readonly notification?: unknown
}
