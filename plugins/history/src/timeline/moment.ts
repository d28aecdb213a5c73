import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@svc/domain/contract'
import type { Moment } from './definition.ts'
import type { TimelineEvent } from './event.ts'

/** Whether a change brings an event about, its condition aside. */
export const happens = (event: TimelineEvent, change: Change): boolean => HAPPENS[event.on](event, change)

const HAPPENS: Readonly<Record<Moment, (event: TimelineEvent, change: Change) => boolean>> = {
  create: (_, { kind }) => kind === 'create',
  delete: (_, { kind }) => kind === 'delete',
  restore: (_, { kind }) => kind === 'restore',
  transition: ({ transition: wanted }, { transition }) => transition?.name === wanted,
  update: ({ fields }, change) => isUpdate(change) && (fields?.some((name) => differs(name, change)) ?? true),
  fieldChange: ({ field }, change) => field !== undefined && hasBoth(change) && differs(field, change),
  schemaChange: () => false,
}

/** A transition by its own address and a restore are told by their own names. */
const isUpdate = (change: Change): boolean =>
  hasBoth(change) && change.kind !== 'transition' && change.kind !== 'restore'

const hasBoth = ({ kind }: Change): boolean => kind !== 'create' && kind !== 'delete'

const differs = (name: string, { previous, record }: Change): boolean =>
  !isDeepStrictEqual(previous?.[name] ?? null, record?.[name] ?? null)
