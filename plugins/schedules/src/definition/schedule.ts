import { actionKeys, DurationText } from '@svc/automation/contract'
import { NotificationDefinition } from '@svc/notifications/contract'
import { z } from 'zod'

const TimeText = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of day, such as 08:00' })
  .describe('Of relative schedules: the time of that day, in the zone of the schedule.')

/** What is done, and to whom it is told: keys of a schedule and of each of its tiers. */
const doing = {
  action: actionKeys.action.optional(),
  target: actionKeys.target.optional(),
  input: actionKeys.input.optional(),
  transition: actionKeys.transition.optional(),
  recordId: actionKeys.recordId.optional(),
  notification: NotificationDefinition.optional().describe(
    'The message: required for notify; beside any other action it is sent once that is done.',
  ),
  skipIf: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A condition on the record: where it is true the record is entered as skipped, and has had its firing.',
    ),
  tag: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'What a record fires once for, for good. A text such as {renewsOn} fires again with each new date; unless said, the planned moment of a recurring schedule, daysUntil of a tier, and `due` of any other.',
    ),
}

const Tier = z
  .strictObject({
    daysUntil: z
      .int()
      .min(-3650)
      .max(3650)
      .describe('How many days before `relativeTo` it is due; negative: so many days after it.'),
    ...doing,
  })
  .describe('One of several moments; what it does not say is that of the schedule.')

/** A schedule as it is written. */
export const ScheduleDefinition = z
  .strictObject({
    description: z.string().optional().describe('What it is for.'),
    type: z
      .enum(['recurring', 'relative'])
      .optional()
      .describe(
        'recurring: again and again; relative: by a date of each record. relative where `relativeTo` is given.',
      ),
    recurrence: z
      .string()
      .min(1)
      .optional()
      .describe(
        'When it recurs: `every 90 days`, `daily at 06:00`, `weekly on Monday at 08:00`, `monthly on 1st at 02:00`, `yearly on March 1`, or a cron pattern.',
      ),
    timezone: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The zone whose clocks count, such as Europe/London; else `config.timezone` of the domain, else UTC.',
      ),
    source: z
      .strictObject({
        resource: z.string().min(1).describe('The resource whose records it is about.'),
        filter: z.string().min(1).optional().describe('Which of them: a condition that the store can ask.'),
      })
      .optional()
      .describe('The records that it is about; recurring without it: the action happens once an occurrence.'),
    relativeTo: z.string().min(1).optional().describe('A stored date or datetime of the source.'),
    offset: DurationText.optional().describe(
      'How long after `relativeTo` it is due, with a minus before it; days and more are counted by the calendar. 0d unless said.',
    ),
    at: TimeText.optional(),
    ...doing,
    batched: z
      .boolean()
      .optional()
      .describe(
        'Whether records that are due together are done together: texts have `$records` and `$count`.',
      ),
    catchUp: z
      .enum(['latest', 'all', 'none'])
      .optional()
      .describe(
        'Of recurring schedules: which occurrences are made up for that were missed while no server ran. latest unless said.',
      ),
    enabled: z.boolean().optional().describe('Whether it is in force; true unless said.'),
    tiers: z
      .array(Tier)
      .min(1, { error: 'must have at least one tier' })
      .max(50, { error: 'must not have more than 50 tiers' })
      .optional()
      .describe('Several moments for each record, each with its own action.'),
  })
  .describe('Something that is done at a time, by the system.')

/** A schedule as it is written. */
export type ScheduleDefinition = z.infer<typeof ScheduleDefinition>
/** A tier as it is written. */
export type TierDefinition = z.infer<typeof Tier>

/** The key `schedules` of a domain. */
export const SchedulesDefinition = z.record(z.string(), ScheduleDefinition).describe('Schedules by name.')
export type SchedulesDefinition = z.infer<typeof SchedulesDefinition>
