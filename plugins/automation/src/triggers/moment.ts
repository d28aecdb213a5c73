import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@svc/domain/contract'
import type { EventKind } from './definition.ts'

/** A bit for each event, so that whether a change is one of several is one comparison. */
const BITS: Readonly<Record<EventKind, number>> = {
  create: 1,
  update: 2,
  delete: 4,
  restore: 8,
  transition: 16,
  fieldChange: 32,
  history: 64,
}

/** Every event of a list, as bits. */
export const maskOf = (events: readonly EventKind[]): number =>
  events.reduce((mask, event) => mask | BITS[event], 0)

/**
 * The events that a change is, as bits, whatever the path by which it came: every write that leaves a stored record there is
 * an update. A link writes no record, and is none of them. Of what the timeline keeps nothing is known here: whatever
 * writes a record may be on it.
 */
export function momentsOf({ kind, transition }: Pick<Change, 'kind' | 'transition'>): number {
  if (kind === 'linked' || kind === 'unlinked') return 0
  if (kind === 'create') return BITS.create | BITS.history
  if (kind === 'delete') return BITS.delete | BITS.history
  const moments = BITS.update | BITS.fieldChange | BITS.history
  return moments | (transition === undefined ? 0 : BITS.transition) | (kind === 'restore' ? BITS.restore : 0)
}

/** Whether a change of a stored record gives one of these fields another value, before its row is written as after that. */
export const changesOne = (names: readonly string[], change: Change): boolean =>
  names.some((name) => changes(name, change))

function changes(name: string, { previous, record, values }: Change): boolean {
  if (previous === undefined) return false
  const written = record ?? values
  if (!Object.hasOwn(written, name)) return false
  return !isDeepStrictEqual(previous[name] ?? null, written[name] ?? null)
}
