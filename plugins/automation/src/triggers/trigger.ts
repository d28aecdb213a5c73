import type { Change, Expression, Path, Resource, Site, Speech } from '@svc/domain/contract'
import type { EventKind, TriggerDefinition } from './definition.ts'
import { changesOne, maskOf, momentsOf } from './moment.ts'
import { checkStoredField, checkTransition, didYouMean, resourceNamed } from './names.ts'

/** Names after `$` that conditions on a write may read, besides those of every expression. */
export const TRIGGER_VARIABLES: NonNullable<Speech['variables']> = new Map([['transition', 'text']])

/** What such a condition reads as `$transition`: the name of the transition that the write makes, or null. */
export const triggerVariables = ({
  transition,
}: Pick<Change, 'transition'>): { readonly transition: string | null } => ({
  transition: transition?.name ?? null,
})

/** What is listened to, compiled. */
export interface Trigger {
  readonly resource: Resource
  readonly events: readonly EventKind[]
  /** Undefined: any, and writes without one where `events` has others. */
  readonly transitions: readonly string[] | undefined
  readonly field: string | undefined
  readonly fields: readonly string[] | undefined
  /** The event of the timeline; undefined: any. */
  readonly history: string | undefined
  /** What has to be true besides, of the record as the write leaves it. */
  readonly condition: Expression | undefined
  /**
   * Whether a change of the resource is listened to, its condition aside. `history` are the names of the events that the
   * change puts on the record's timeline.
   */
  concerns(change: Change, history?: readonly string[]): boolean
}

/** What is particular about the place of a trigger. */
export interface TriggerPlace {
  /** What the key of the events is called there. */
  readonly key?: 'event' | 'on'
  /** What else its condition may name, besides the record, `previous` and `$transition`. */
  readonly speech?: Pick<Speech, 'parameters' | 'variables'>
  /** The names of the events that the timeline of a resource keeps; none unless said. */
  readonly history?: (resource: Resource) => Iterable<string>
}

/**
 * Compiles what is written of a trigger. Undefined where it names no event: nothing is listened to then; undefined too
 * where something is wrong, which is reported.
 */
export function compileTrigger(
  written: TriggerDefinition,
  path: Path,
  site: Site,
  place: TriggerPlace = {},
): Trigger | undefined {
  const { key = 'event' } = place
  const events = listOf(written[key] ?? written.event ?? written.on)
  checkKeys(written, events, key, path, site)
  const { resource: name } = written
  const resource = name === undefined ? undefined : resourceNamed(name, [...path, 'resource'], site)
  if (name === undefined && events.length > 0)
    site.problem([...path, 'resource'], 'is missing', 'Name the resource whose records it listens to')
  if (resource === undefined || events.length === 0) return undefined
  const isRight = checkNames(written, resource, path, site, place)
  const condition = conditionOf(written.condition, [...path, 'condition'], resource, site, place)
  if (!isRight || (written.condition !== undefined && condition === undefined)) return undefined
  return triggerOf(written, resource, events, condition)
}

function triggerOf(
  { transition, field, fields, history }: TriggerDefinition,
  resource: Resource,
  events: readonly EventKind[],
  condition: Expression | undefined,
): Trigger {
  const mask = maskOf(events)
  const transitions = transition === undefined ? undefined : listOf(transition)
  const listening = new Listening({ events, transitions, field, fields, history })
  return Object.freeze({
    resource,
    events,
    transitions,
    field,
    fields,
    history,
    condition,
    concerns: (change, brought) => {
      const moments = momentsOf(change) & mask
      return moments !== 0 && listening.hears(change, moments, brought)
    },
  } satisfies Trigger)
}

type Narrowed = Pick<Trigger, 'events' | 'transitions' | 'field' | 'fields' | 'history'>

/** What is asked of a change once it is known to be one of the events. */
class Listening {
  readonly #asked: readonly {
    readonly bit: number
    readonly hears: (change: Change, history: readonly string[]) => boolean
  }[]

  constructor({ events, transitions, field, fields, history }: Narrowed) {
    const asks: Readonly<Record<EventKind, (change: Change, history: readonly string[]) => boolean>> = {
      create: () => true,
      update: (change) => fields === undefined || changesOne(fields, change),
      delete: () => true,
      restore: () => true,
      transition: ({ transition }) =>
        transitions === undefined || (transition !== undefined && transitions.includes(transition.name)),
      fieldChange: (change) => field !== undefined && changesOne([field], change),
      history: (_, brought) => (history === undefined ? brought.length > 0 : brought.includes(history)),
    }
    this.#asked = events.map((event) => ({ bit: maskOf([event]), hears: asks[event] }))
  }

  hears(change: Change, moments: number, history: readonly string[] = []): boolean {
    return this.#asked.some(({ bit, hears }) => (bit & moments) !== 0 && hears(change, history))
  }
}

/** A key that narrows an event, and the event without which it means nothing. */
const NARROWING = [
  ['transition', 'transition'],
  ['field', 'fieldChange'],
  ['fields', 'update'],
  ['history', 'history'],
] as const satisfies readonly (readonly [keyof TriggerDefinition, EventKind])[]

/** Reports keys that mean nothing beside the others, and those that are missing. */
function checkKeys(
  written: TriggerDefinition,
  events: readonly EventKind[],
  key: 'event' | 'on',
  path: Path,
  site: Pick<Site, 'problem'>,
): void {
  for (const [narrowing, event] of NARROWING) {
    if (written[narrowing] === undefined || events.includes(event)) continue
    site.problem([...path, narrowing], `means nothing without '${key}: ${event}'`, 'Take one of them away')
  }
  if (events.includes('fieldChange') && written.field === undefined)
    site.problem([...path, 'field'], `is missing: '${key}: fieldChange' needs it`, 'Name the field')
  if (written.condition !== undefined && events.length === 0)
    site.problem(
      [...path, 'condition'],
      `means nothing without '${key}'`,
      `Say by '${key}' what it is asked of`,
    )
}

/** Reports names that the resource does not have; answers whether all are there. */
function checkNames(
  { transition, field, fields = [], history }: TriggerDefinition,
  resource: Resource,
  path: Path,
  site: Site,
  place: TriggerPlace,
): boolean {
  const checks = [
    ...listOf(transition).map((name, at) =>
      checkTransition(name, inList(transition, [...path, 'transition'], at), resource, site),
    ),
    ...(field === undefined ? [] : [checkStoredField(field, [...path, 'field'], resource, site)]),
    ...fields.map((name, at) => checkStoredField(name, [...path, 'fields', at], resource, site)),
    ...(history === undefined ? [] : [checkHistory(history, [...path, 'history'], resource, site, place)]),
  ]
  return checks.every(Boolean)
}

function checkHistory(
  name: string,
  path: Path,
  resource: Resource,
  site: Pick<Site, 'problem'>,
  { history = () => [] }: TriggerPlace,
): boolean {
  const known = [...history(resource)]
  if (known.includes(name)) return true
  const hint = known.length === 0 ? `'${resource.name}' keeps no history` : didYouMean(name, known)
  site.problem(path, `the history of '${resource.name}' has no event '${name}'`, hint)
  return false
}

function conditionOf(
  source: string | undefined,
  path: Path,
  resource: Resource,
  site: Site,
  { speech }: TriggerPlace,
): Expression | undefined {
  if (source === undefined) return undefined
  const variables = new Map([...TRIGGER_VARIABLES, ...(speech?.variables ?? [])])
  return site.expression(source, path, { ...speech, resource, moment: 'write', kind: 'boolean', variables })
}

const listOf = <T extends string>(written: T | readonly T[] | undefined): readonly T[] =>
  written === undefined ? [] : typeof written === 'string' ? [written] : [...written]

/** The path of an item of what may be one name or a list. */
const inList = (written: unknown, path: Path, at: number): Path =>
  typeof written === 'string' ? path : [...path, at]
