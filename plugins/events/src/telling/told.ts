import { type Data, recordFor, type Resource } from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { RecordEvent } from '../contract.ts'

/** What one caller is told of an event. */
export interface Told {
  /** The id of the event. */
  readonly id: string
  /** What it is told as: what leaves the caller's sight as `removed`. */
  readonly action: string
  readonly data: Row
}

/** Whose eyes events are seen with, and when. */
export interface Telling {
  readonly data: Data
  readonly now: () => number
}

/**
 * What a caller is told of events, each in its place: by the row rule of `list` on the record after the event, and before it
 * where it was deleted, with the fields of an answer. Undefined where that is nothing.
 */
export async function toldTo(
  caller: Caller,
  events: readonly RecordEvent[],
  telling: Telling,
): Promise<readonly (Told | undefined)[]> {
  const told = events.map((): Told | undefined => undefined)
  const { resources } = telling.data.model
  for (const [name, places] of placesByResource(events)) {
    const resource = resources.get(name)
    if (resource === undefined) continue
    const own = places.map((at) => events[at]!)
    const seen = await seenBy(caller, resource, own, telling)
    for (const [index, at] of places.entries()) told[at] = seen[index]
  }
  return told
}

function placesByResource(events: readonly RecordEvent[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (const [at, { resource }] of events.entries()) {
    const known = places.get(resource)
    if (known === undefined) places.set(resource, [at])
    else known.push(at)
  }
  return places
}

async function seenBy(
  caller: Caller,
  resource: Resource,
  events: readonly RecordEvent[],
  telling: Telling,
): Promise<readonly (Told | undefined)[]> {
  const { data } = telling
  if (data.access(resource, caller).rowsIfAny('list') === undefined) return events.map(() => undefined)
  const ofRecords = events.filter(isOfRecord)
  const now = await data.mayList(
    resource,
    ofRecords.map(({ record }) => record),
    { caller },
  )
  const listed = new Map(ofRecords.map((event, at) => [event, now[at]]))
  const past = events.flatMap(({ previous }) => (previous === null ? [] : [previous]))
  const before = [...(await data.mayList(resource, past, { caller }))]
  const told: (Told | undefined)[] = []
  for (const event of events) {
    const was = event.previous !== null && before.shift() === true
    const show = { caller, resource, event, was }
    if (!isOfRecord(event)) told.push(apart(event, data))
    else if (listed.get(event) === true) told.push(await shown(show, telling))
    else told.push(listed.get(event) === 'unknown' || was ? removed(show, data) : undefined)
  }
  return told
}

const isOfRecord = ({ recordId }: RecordEvent): boolean => recordId !== ''

interface Shown {
  readonly caller: Caller
  readonly resource: Resource
  readonly event: RecordEvent
  /** Whether the caller saw the record before the event. */
  readonly was: boolean
}

/** The key as records have it. */
const keyIn = ({ resource, event }: Pick<Shown, 'resource' | 'event'>): Value =>
  event.record[resource.key.name] ?? event.recordId

async function shown(of: Shown, { data, now }: Telling): Promise<Told> {
  const { caller, resource, event, was } = of
  const action = event.action ?? ''
  const show = (row: Row) => recordFor(caller, resource, row, now)
  const record = event.link ? await linked(of, data) : action === 'deleted' ? null : show(event.record)
  const previous = was && !event.link && event.previous !== null ? show(event.previous) : null
  return {
    id: event.id ?? '',
    action,
    data: {
      ...headOf(event, data, action),
      recordId: keyIn(of),
      ...(event.link && { relationship: event.link.relationship }),
      record,
      previous,
      actor: { ...event.actor },
      at: event.at,
      requestId: event.requestId,
    },
  }
}

/** The other end of a link is told to who may get it. */
async function linked({ caller, resource, event }: Shown, data: Data): Promise<Row> {
  const relationship = resource.relationships.get(event.link!.relationship)
  if (relationship?.kind !== 'belongsToMany' || relationship.target.kind !== 'resource') return {}
  const target = data.model.resources.get(relationship.target.name)
  const other = target && (await data.find(target, event.link!.key, { caller }))
  return other === undefined ? {} : { [relationship.otherKey]: event.link!.key }
}

/** Of a record that the caller sees no more its id alone is told. */
const removed = (of: Shown, data: Data): Told => ({
  id: of.event.id ?? '',
  action: 'removed',
  data: { ...headOf(of.event, data, 'removed'), recordId: keyIn(of) },
})

/** An event of a resource as a whole. */
const apart = (event: RecordEvent, data: Data): Told => ({
  id: event.id ?? '',
  action: event.action ?? '',
  data: {
    ...headOf(event, data, event.action ?? ''),
    recordId: null,
    record: event.record,
    previous: null,
    actor: { ...event.actor },
    at: event.at,
    requestId: event.requestId,
  },
})

const headOf = ({ id, resource }: RecordEvent, data: Data, action: string): Row => ({
  id,
  domain: data.model.name,
  resource,
  action,
})
