import { type Call, isoTime, Warnings } from '@svc/kernel'
import type { Row, Transaction, Value } from '@svc/store/contract'
import type { BelongsToMany } from '../../model/relationship.ts'
import type { Resource } from '../../model/resource.ts'
import { beginWarnings, type Change, tellWarnings, warnedBy } from '../../write/change.ts'
import { changeOf, type Surroundings } from '../operation.ts'

export type Key = Exclude<Value, null>

/** What the links of one relationship are made of. */
export interface Linking extends Surroundings {
  readonly relationship: BelongsToMany
  /** The resource at the other end. */
  readonly target: Resource
}

/** What is written of a link, inside its transaction. */
export interface Writing {
  readonly linking: Linking
  readonly call: Call
  readonly transaction: Transaction
  readonly kind: 'linked' | 'unlinked'
  /** The record on this side. */
  readonly record: Row
  readonly key: Key
  readonly other: Key
}

/** A link that was made or taken away. */
export interface Linked extends Pick<Writing, 'kind' | 'key' | 'other'> {
  /** Where blocks hear of it. */
  readonly change: Change | undefined
}

/** Writes a link with the steps of the blocks that hear of it; undefined where it is as it should be already. */
export async function writeLink(writing: Writing, write: () => Promise<number>): Promise<Linked | undefined> {
  const { linking, transaction, kind, key, other } = writing
  if ((await write()) === 0) return undefined
  const steps = linking.writer.linking(linking.resource)
  if (steps === undefined) return { kind, key, other, change: undefined }
  const change = changeOfLink(writing)
  await steps.beforeWrite(change, transaction)
  change.record = change.previous
  await steps.afterWrite(change, transaction)
  return { kind, key, other, change }
}

function changeOfLink({ linking, call, kind, record, key, other }: Writing): Change {
  const link = { relationship: linking.relationship.name, key: other }
  const change = changeOf(linking, call, kind, { body: undefined, key, link })
  change.previous = record
  beginWarnings(change)
  return change
}

export const warnedIn = (linked: Linked | undefined): Warnings =>
  linked?.change === undefined ? new Warnings() : warnedBy(linked.change)

/** What is told once a link is committed. */
export function finish(linked: Linked | undefined, linking: Linking, call: Call): void {
  if (linked === undefined) return
  const { change } = linked
  if (change !== undefined) tellWarnings(change)
  tell(linked, linking, call)
  for (const work of change?.afterCommit ?? []) work()
}

function tell(
  { kind, change, key, other }: Linked,
  { model, resource, runtime, relationship }: Linking,
  { caller, requestId }: Call,
): void {
  runtime.bus.emit(`${resource.actionPrefix}${kind}`, {
    id: change?.eventId ?? runtime.newId(),
    domain: model.name,
    resource: resource.name,
    action: kind,
    recordId: key,
    relationship: relationship.name,
    record: { [relationship.otherKey]: other },
    previous: null,
    actor: { id: caller.id, username: caller.username },
    at: isoTime(runtime.env.now()),
    requestId,
  })
}
