import type { Alteration, Resource, Text } from '@svc/domain/contract'
import { among, interpolate } from '@svc/expression/contract'
import type { ColumnKind, Row, Table, Transaction, Value } from '@svc/store/contract'
import type { TimelineEvent } from './event.ts'

/** What stands for a record in entries that are about the whole collection: no record has it for its key. */
const NO_RECORD: Partial<Record<ColumnKind, Value>> = {
  uuid: '00000000-0000-0000-0000-000000000000',
  text: '',
}

/** The key of no record, by the kind of the resource's keys. */
export const noRecordOf = ({ key }: Resource): Exclude<Value, null> =>
  NO_RECORD[key.column!.kind] ?? Number.MIN_SAFE_INTEGER

/** Puts on record what a change of the columns brings about. */
export async function recordAlteration(
  alteration: Alteration,
  events: readonly TimelineEvent[],
  table: Table,
  transaction: Transaction,
): Promise<void> {
  const { change, column, previousName, type } = alteration
  const names = { change, column, previousName, type }
  const context = { names, now: () => Date.parse(alteration.at) }
  const due = events.filter(
    ({ on, condition }) => on === 'schemaChange' && (condition === undefined || condition.holds(context)),
  )
  if (due.length === 0) return
  const rows = due.map((event) => entryOf(event, names, alteration))
  await transaction.insertRows({ table, rows })
}

function entryOf(event: TimelineEvent, names: Row, { resource, caller, at, newId }: Alteration): Row {
  const { localizer } = resource
  const actor = {
    id: caller.id,
    username: caller.username,
    ...(event.showsEmail && { email: caller.email }),
  }
  const values = {
    'user.id': caller.id,
    'user.name': caller.username,
    'user.email': event.showsEmail ? caller.email : null,
    actorId: caller.id,
    actorName: caller.username,
    ...names,
  }
  const fill = (text: Text) => interpolate(localizer.text(text, localizer.locale()) ?? '', among(values))
  const inAll = (text: Text): Text => localizer.wordings?.(text) ?? text
  return {
    id: newId(),
    recordId: noRecordOf(resource),
    timestamp: at,
    event: event.name,
    label: fill(event.label),
    detail: fill(event.detail),
    icon: event.icon,
    severity: event.severity,
    open: event.roles.length === 0,
    actor,
    data: { actorId: caller.id, actorName: caller.username, ...names },
    sources: {},
    template: JSON.stringify({ label: inAll(event.label), detail: inAll(event.detail) }),
    version: null,
  }
}
