import type { Row, Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'
import type { Change, OwnKind } from '../contract/change.ts'

const EVENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    create: 'created',
    update: 'updated',
    put: 'updated',
    delete: 'deleted',
    transition: 'transitioned',
    restore: 'restored',
    custom: 'updated',
    overwrite: 'updated',
    linked: 'linked',
    unlinked: 'unlinked',
  } satisfies Record<OwnKind, string>),
)

/** What becomes of a record, as it is told: the last part of the names of its events. */
export const CHANGES_TOLD: readonly string[] = [...new Set(EVENTS.values())]

/** Tells the bus what happened, after the commit. */
export function emitChange(change: Change): void {
  const { bus } = change.runtime
  const name = `${change.resource.actionPrefix}${toldAs(change)}`
  if (!bus.hears(name)) return
  bus.emit(name, { ...eventOf(change), id: change.eventId, recordId: change.key })
}

/** What listeners hear of a change, by the key of its record: what is told of it in addition has that as its id. */
export function eventOf(change: Change): object {
  const { domain, resource, key, record, previous, caller, at, requestId, depth } = change
  return {
    id: key,
    domain,
    resource: resource.name,
    action: toldAs(change),
    record: stored(record, resource),
    previous: stored(previous, resource),
    actor: { id: caller.id, username: caller.username },
    at,
    requestId,
    depth,
  }
}

/** What a change is told as: one of state as such, however it was asked for; a kind that a block owns is an update. */
export const toldAs = ({ kind, transition }: Pick<Change, 'kind' | 'transition'>): string =>
  transition ? 'transitioned' : (EVENTS.get(kind) ?? 'updated')

/** The record's own fields; secrets stay behind. */
function stored(record: Row | undefined, resource: Resource): Row | null {
  if (record === undefined) return null
  const made: Record<string, Value> = {}
  for (const name of shownOf(resource)) made[name] = record[name] ?? null
  return made
}

const shown = new WeakMap<Resource, readonly string[]>()

function shownOf(resource: Resource): readonly string[] {
  const known = shown.get(resource)
  if (known !== undefined) return known
  const made = [...resource.fields.values()]
    .filter((field) => field.column && field.compiled.type.readable)
    .map(({ name }) => name)
  shown.set(resource, made)
  return made
}
