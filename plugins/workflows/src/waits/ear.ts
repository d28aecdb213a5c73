import type { EventKind } from '@svc/automation/contract'
import { digestOf, type RecordEvent } from '@svc/events/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Column, Value } from '@svc/store/contract'
import type { EventWait } from './wait.ts'

/** What a wait hears by: the field of the event's record that its filter fixes, and to what. */
export interface Key {
  readonly field: string
  value(context: EvaluationContext): Value
}

/** The names after `$` that differ from event to event. */
const VARYING = ['transition']

/** Kinds of columns whose equal values have one form. */
const KEYS: ReadonlySet<Column['kind']> = new Set(['text', 'integer', 'decimal', 'float', 'boolean', 'uuid'])

const keys = new WeakMap<EventWait, { readonly key: Key | undefined }>()

/** The first field that a wait's filter fixes; undefined where it fixes none. */
export function keyOf(wait: EventWait): Key | undefined {
  const known = keys.get(wait)
  if (known !== undefined) return known.key
  const { fields } = wait.trigger.resource
  const found = wait.filter?.fixed(VARYING).find(({ field }) => {
    const column = fields.get(field)?.column
    return column !== undefined && column.codec === undefined && KEYS.has(column.kind)
  })
  const key = found && { field: found.field, value: (context: EvaluationContext) => found.value(context) }
  keys.set(wait, { key })
  return key
}

/** By what an event of a kind finds waits: all of them, or those that fix a field to its value. */
export function earOf(
  resource: string,
  event: EventKind,
  key?: { readonly field: string; readonly value: Value },
): string {
  const ear = `${resource} ${event}`
  return key === undefined ? ear : `${ear} ${key.field} ${digestOf(key.value)}`
}

/** What a wait is written down under; `value` is what its key is worth. */
export function earOfWait({ trigger }: EventWait, key: Key | undefined, value: Value): string {
  const [event = 'update'] = trigger.events
  return earOf(trigger.resource.name, event, key && { field: key.field, value })
}

/** The fields that waits fix, by the names of their resources. */
export type KeyFields = ReadonlyMap<string, ReadonlySet<string>>

export function keyFieldsOf(waits: readonly EventWait[]): KeyFields {
  const fields = new Map<string, Set<string>>()
  for (const wait of waits) {
    const key = keyOf(wait)
    const { name } = wait.trigger.resource
    if (key) fields.set(name, (fields.get(name) ?? new Set()).add(key.field))
  }
  return fields
}

/** Everything that an event is found under. */
export function earsOf({ resource, events, record }: RecordEvent, fields: KeyFields): readonly string[] {
  const own = [...(fields.get(resource) ?? [])]
  return events.flatMap((event) => [
    earOf(resource, event),
    ...own.map((field) => earOf(resource, event, { field, value: record[field] ?? null })),
  ])
}
