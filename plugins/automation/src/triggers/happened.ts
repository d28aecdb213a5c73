import type { Change } from '@svc/domain/contract'
import { type EventKind, EVENTS } from './definition.ts'
import { changesOne, maskOf, momentsOf } from './moment.ts'
import type { Trigger } from './trigger.ts'

/** What a change was, for those who ask by a trigger when it is over. */
export interface Happened {
  readonly events: readonly EventKind[]
  readonly transition: string | null
  /** The stored fields that have another value since. */
  readonly fields: readonly string[]
  /** The events that it put on the record's timeline. */
  readonly history: readonly string[]
}

/** What a change is, once its row is written. */
export function happenedIn(change: Change, history: readonly string[]): Happened {
  const moments = momentsOf(change)
  const fields =
    change.previous === undefined || change.record === undefined
      ? []
      : Object.keys(change.values).filter(
          (name) => change.resource.fields.has(name) && changesOne([name], change),
        )
  const is: Readonly<Partial<Record<EventKind, boolean>>> = {
    fieldChange: fields.length > 0,
    history: history.length > 0,
  }
  return {
    events: EVENTS.filter((event) => (moments & maskOf([event])) !== 0 && is[event] !== false),
    transition: change.transition?.name ?? null,
    fields,
    history,
  }
}

/** Whether something that happened to a record of the trigger's resource is what the trigger listens to. */
export const hears = (trigger: Trigger, happened: Happened): boolean =>
  trigger.events.some((event) => happened.events.includes(event) && NARROWED[event](trigger, happened))

const NARROWED: Readonly<Record<EventKind, (trigger: Trigger, happened: Happened) => boolean>> = {
  create: () => true,
  delete: () => true,
  restore: () => true,
  update: ({ fields: wanted }, { fields }) => wanted?.some((name) => fields.includes(name)) ?? true,
  transition: ({ transitions }, { transition }) =>
    transition !== null && (transitions?.includes(transition) ?? true),
  fieldChange: ({ field }, { fields }) => field !== undefined && fields.includes(field),
  history: ({ history: wanted }, { history }) =>
    wanted === undefined ? history.length > 0 : history.includes(wanted),
}
