import { z } from 'zod'

const name = z.string().min(1)
const names = z.array(name)
/** Text for people: one for all locales, or a map from locale to text. */
const Text = z.union([z.string(), z.record(z.string(), z.string())])

/** What can bring an event about. */
export const MOMENTS = [
  'create',
  'update',
  'delete',
  'restore',
  'transition',
  'fieldChange',
  'schemaChange',
] as const
export type Moment = (typeof MOMENTS)[number]

export const SEVERITIES = ['info', 'success', 'warning', 'error'] as const
export type Severity = (typeof SEVERITIES)[number]

const EventDefinition = z
  .strictObject({
    on: z.enum(MOMENTS).describe('What brings the event about.'),
    transition: name.optional().describe('on: transition: the transition that does.'),
    field: name.optional().describe('on: fieldChange: the field whose change does.'),
    fields: names.min(1).optional().describe('on: update: only where one of these fields changes.'),
    capture: names.optional().describe('Fields whose values are kept with the event.'),
    label: Text.describe('What happened, for people, with {field} for a value that is kept.'),
    detail: Text.optional().describe('More about it, in the same form.'),
    icon: z.string().optional().describe('An icon, as <set>:<name>.'),
    severity: z.enum(SEVERITIES).optional().describe('How it is shown: info, success, warning or error.'),
    roles: names.optional().describe('Roles that see the event; everybody who sees the record unless said.'),
    condition: name.optional().describe('An expression that has to be true of the record.'),
    snapshot: z.boolean().optional().describe('Whether the event names the version that the write has kept.'),
  })
  .meta({ id: 'HistoryEvent' })
export type EventDefinition = z.output<typeof EventDefinition>

/** The key `history` of a resource. */
export const HistoryDefinition = z.strictObject({
  events: z.record(z.string(), EventDefinition).describe('The events by name.'),
})
export type HistoryDefinition = z.output<typeof HistoryDefinition>
