import { type Happened, happenedIn } from '@svc/automation/contract'
import {
  type Alteration,
  type Change,
  codecOf,
  type Former,
  type Model,
  type Resource,
  toldAs,
} from '@svc/domain/contract'
import { type Column, openValue, type Row, sealValue, type Value } from '@svc/store/contract'
import type { Place } from './place.ts'
import type { RecordEvent, ToldEvent } from './record-event.ts'

/** What is kept of a change, once its row is written, and the batch that it comes in; null: one is to be made up. */
export function rowOf(change: Change, history: readonly string[], batch: number | null): Row {
  const { resource, key, previous, record, caller, depth, origin, at } = change
  const { events, transition, fields, history: brought } = happenedIn(change, history)
  const now = record ?? previous
  return {
    batch,
    mark: null,
    at,
    resource: resource.name,
    recordId: String(key),
    happened: { events, transition, fields, history: brought },
    record: now === undefined ? null : kept(now, resource),
    previous: previous && now ? keptBefore(previous, now, resource) : null,
    actor: { id: caller.id, username: caller.username },
    depth,
    origin: origin ?? null,
    ...toldOf(change),
  }
}

/** Whether a change is told outside: what a law takes away is not told once more. */
export const isTold = ({ kind }: Pick<Change, 'kind'>): boolean => kind !== 'overwrite'

/** What is told of a change. */
const toldOf = (change: Change): Row =>
  !isTold(change)
    ? UNTOLD
    : {
        id: change.eventId,
        action: toldAs(change),
        requestId: change.requestId,
        link: change.link ? { ...change.link } : null,
      }

const UNTOLD: Row = Object.freeze({ id: null, action: null, requestId: null, link: null })

/** A mark: no event, but a place among them. */
export const markRow = (mark: string, at: string, batch: number | null): Row => ({
  batch,
  mark,
  at,
  resource: '',
  recordId: '',
  happened: null,
  record: null,
  previous: null,
  actor: null,
  depth: 0,
  origin: null,
  ...UNTOLD,
})

/** An event that no write of a record is. */
export const toldRow = ({ record, actor, recordId, ...told }: ToldEvent, batch: number | null): Row => ({
  ...markRow('', told.at, batch),
  mark: null,
  happened: { events: [], transition: null, fields: [], history: [] },
  record,
  actor: { ...actor },
  recordId: recordId ?? '',
  ...told,
})

/** A change of a sheet's columns, as it is told outside. */
export const toldAlteration = ({
  eventId,
  resource,
  change,
  column,
  previousName,
  type,
  caller,
  at,
  requestId,
}: Alteration): ToldEvent => ({
  id: eventId,
  action: 'schemaChanged',
  resource: resource.name,
  recordId: null,
  record: { change, column, previousName, type },
  actor: { id: caller.id, username: caller.username },
  at,
  requestId,
})

export const placeIn = (row: Row): Place => ({ batch: Number(row['batch']), number: Number(row['number']) })

/** An event as it was kept. */
export function eventIn(row: Row, model: Model): RecordEvent {
  const resource = model.resources.get(String(row['resource']))
  const isOfRecord = row['recordId'] !== ''
  const opened = (of: Value | undefined) => {
    if (!isRow(of)) return null
    return isOfRecord ? open(of, resource, model) : of
  }
  const happened = row['happened'] as unknown as Happened
  const record = opened(row['record']) ?? {}
  const before = opened(row['previous'])
  return {
    place: placeIn(row),
    resource: String(row['resource']),
    recordId: String(row['recordId']),
    ...happened,
    record,
    previous: before && { ...record, ...before },
    actor: row['actor'] as unknown as RecordEvent['actor'],
    depth: Number(row['depth']),
    origin: row['origin'] === null ? null : String(row['origin']),
    at: String(row['at']),
    id: textOf(row['id']),
    action: textOf(row['action']),
    requestId: textOf(row['requestId']),
    link: (row['link'] ?? null) as RecordEvent['link'],
  }
}

const textOf = (value: Value | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

const isRow = (value: Value | undefined): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The stored fields that may be shown, each in the form that its column has at rest. */
function kept(row: Row, resource: Resource, isAmong?: (name: string) => boolean): Row {
  const key = row[resource.key.name]
  const made: Record<string, Value> = {}
  for (const { name, codec } of shownOf(resource)) {
    if (isAmong?.(name) === false) continue
    const value = row[name] ?? null
    made[name] = codec === undefined ? value : sealValue({ codec }, value, place(key, name))
  }
  return made
}

/** The same of a record as it was, but for what it has still; and its key, by which values are opened. */
const keptBefore = (previous: Row, record: Row, resource: Resource): Row =>
  kept(
    previous,
    resource,
    (name) => name === resource.key.name || (previous[name] ?? null) !== (record[name] ?? null),
  )

interface Shown {
  readonly name: string
  readonly codec: Column['codec']
}

const shown = new WeakMap<Resource, readonly Shown[]>()

/** The stored fields that may be shown: a wide record is kept twice with every write. */
function shownOf(resource: Resource): readonly Shown[] {
  const known = shown.get(resource)
  if (known !== undefined) return known
  const made = [...resource.fields.values()].flatMap(({ name, column, compiled }): readonly Shown[] =>
    column && compiled.type.readable ? [{ name, codec: column.codec?.mixed ?? column.codec }] : [],
  )
  shown.set(resource, made)
  return made
}

/** What a value that is kept is sealed for. */
const place = (key: Value | undefined, name: string): string => JSON.stringify([String(key), name])

/** Of a field that is gone nobody asks. */
function open(row: Row, resource: Resource | undefined, model: Model): Row {
  const key = resource && row[resource.key.name]
  const known = Object.entries(row).flatMap(([name, value]): (readonly [string, Value])[] => {
    const column = resource?.fields.get(name)?.column
    if (column === undefined) return []
    const codec = column.codec?.mixed ?? column.codec ?? codecOf(model)
    return [[name, openValue({ codec }, value, place(key, name))]]
  })
  return Object.fromEntries(known)
}

/** What a row holds of a record, as another definition keeps it; a field that is gone stays as it is. */
export function resealEvent(row: Row, from: Former, to: Defined): Row {
  const resealed = (of: Value | undefined): Value => {
    if (!isRow(of) || row['recordId'] === '') return of ?? null
    const values = renamed(open(of, from.resource, from.model), from)
    return { ...renamed(of, from), ...kept(values, to.resource, (name) => Object.hasOwn(values, name)) }
  }
  return { record: resealed(row['record']), previous: resealed(row['previous']) }
}

const renamed = (values: Row, { names }: Former): Row =>
  names.size === 0
    ? values
    : Object.fromEntries(Object.entries(values).map(([name, value]) => [names.get(name) ?? name, value]))

/** A resource in a definition. */
export interface Defined {
  readonly resource: Resource
  readonly model: Model
}
