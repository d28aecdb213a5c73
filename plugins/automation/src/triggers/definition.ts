import { z } from 'zod'

/** What can happen to a record, for those who listen. */
export const EVENTS = [
  'create',
  'update',
  'delete',
  'restore',
  'transition',
  'fieldChange',
  'history',
] as const
export type EventKind = (typeof EVENTS)[number]

const name = z.string().min(1)

/** One name, or a list of them. */
const names = z.union([name, z.array(name).min(1)])

/** One event, or a list of them; of `kinds` alone. */
export const eventsOf = <const K extends readonly [EventKind, ...EventKind[]]>(kinds: K) =>
  z.union([z.enum(kinds), z.array(z.enum(kinds)).min(1)])

/** The keys by which definitions say what they listen to: a schema takes those that have a meaning in its place. */
export const triggerKeys = {
  resource: name.describe('The resource whose records it listens to.'),
  event: z
    .enum(EVENTS)
    .describe(
      'What happens to a record: create, update, delete, restore, transition, fieldChange or history.',
    ),
  transition: names.describe(
    'event: transition: the transition, or a list of them; any transition unless said.',
  ),
  field: name.describe('event: fieldChange: the field whose value changes.'),
  fields: z.array(name).min(1).describe('event: update: only where one of these fields changes its value.'),
  history: name.describe('event: history: the event of the timeline; any unless said.'),
  condition: name.describe('An expression that has to be true of the record.'),
} as const

/** What is written of a trigger, in whatever place. */
export interface TriggerDefinition {
  readonly resource?: string | undefined
  readonly event?: EventKind | readonly EventKind[] | undefined
  /** The same key by the name that rules give it. */
  readonly on?: EventKind | readonly EventKind[] | undefined
  readonly transition?: string | readonly string[] | undefined
  readonly field?: string | undefined
  readonly fields?: readonly string[] | undefined
  readonly history?: string | undefined
  readonly condition?: string | undefined
}
