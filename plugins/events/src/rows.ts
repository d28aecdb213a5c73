import { type Happened, happenedIn } from '@svc/automation/contract'
import type { Change, Model, Resource } from '@svc/domain/contract'
import { openValue, type Row, sealValue, type Value } from '@svc/store/contract'
import type { Place, RecordEvent } from './contract.ts'

/** What is kept of a change, once its row is written. */
export function rowOf(change: Change, history: readonly string[]): Row {
  const { resource, key, previous, record, caller, depth, origin, at } = change
  const before = previous === undefined ? null : kept(previous, resource)
  const { events, transition, fields, history: brought } = happenedIn(change, history)
  return {
    batch: null,
    mark: null,
    at,
    resource: resource.name,
    recordId: String(key),
    happened: { events, transition, fields, history: brought },
    record: record === undefined ? before : kept(record, resource),
    previous: before,
    actor: { id: caller.id, username: caller.username },
    depth,
    origin: origin ?? null,
  }
}

/** A mark: no event, but a place among them. */
export const markRow = (mark: string, at: string): Row => ({
  batch: null,
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
})

export const placeIn = (row: Row): Place => ({ batch: Number(row['batch']), number: Number(row['number']) })

/** An event as it was kept. */
export function eventIn(row: Row, model: Model): RecordEvent {
  const resource = model.resources.get(String(row['resource']))
  const opened = (of: Value | undefined) => (isRow(of) ? open(of, resource) : null)
  const happened = row['happened'] as unknown as Happened
  return {
    place: placeIn(row),
    resource: String(row['resource']),
    recordId: String(row['recordId']),
    ...happened,
    record: opened(row['record']) ?? {},
    previous: opened(row['previous']),
    actor: row['actor'] as unknown as RecordEvent['actor'],
    depth: Number(row['depth']),
    origin: row['origin'] === null ? null : String(row['origin']),
    at: String(row['at']),
  }
}

const isRow = (value: Value | undefined): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The stored fields that may be shown, each in the form that its column has at rest. */
function kept(row: Row, { fields }: Resource): Row {
  const shown = [...fields.values()].filter(({ column, compiled }) => column && compiled.type.readable)
  return Object.fromEntries(
    shown.map(({ name, column }): readonly [string, Value] => [
      name,
      sealValue({ codec: column?.codec }, row[name] ?? null),
    ]),
  )
}

/** Of a field that is gone nobody asks. */
function open(row: Row, resource: Resource | undefined): Row {
  const known = Object.entries(row).flatMap(([name, value]): (readonly [string, Value])[] => {
    const column = resource?.fields.get(name)?.column
    return column === undefined ? [] : [[name, openValue(column, value)]]
  })
  return Object.fromEntries(known)
}
