import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Column, type Condition, type Table } from '@svc/store/contract'

/** What may become of an instance. `running`: something is to be done; `waiting`: every line rests. */
export const INSTANCE_STATUSES = [
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
] as const
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number]

/** The columns of an instance. */
export const INSTANCE = {
  id: column('id', 'uuid'),
  workflow: column('workflow', 'text'),
  /** Which text of the workflow it keeps to. */
  version: column('version', 'integer'),
  status: column('status', 'text'),
  /** How deep the write was that started it. */
  depth: column('depth', 'integer'),
  startedAt: column('startedAt', 'datetime'),
  finishedAt: column('finishedAt', 'datetime', true),
  /** When its time is over. */
  until: column('until', 'datetime', true),
  /** What happened to the record, such as `create`; null where it was started otherwise. */
  event: column('event', 'text', true),
  resource: column('resource', 'text', true),
  recordId: column('recordId', 'text', true),
  /** The record as the write left it. */
  record: column('record', 'json', true),
  /** The record as it last was, once it is gone. */
  last: column('last', 'json', true),
  actor: column('actor', 'json', true),
  input: column('input', 'json', true),
  /** What the input is made of, where not everybody may be told it. */
  inputVeil: column('inputVeil', 'json', true),
  error: column('error', 'json', true),
  reason: column('reason', 'text', true),
  /** How it will have ended once the line that is left has: of one that failed, whose handler runs, `failed`. */
  outcome: column('outcome', 'text', true),
  /** How many steps have begun. */
  steps: column('steps', 'integer'),
  /** How many characters of JSON it keeps. */
  kept: column('kept', 'integer'),
  /** How many of its lines have something to do, and how many rest. */
  busy: column('busy', 'integer'),
  resting: column('resting', 'integer'),
}

/** The statuses of instances that may still hear something: those that failed may be set going again. */
export const HEARING: readonly InstanceStatus[] = ['running', 'waiting', 'failed']

/** The table of a domain's instances. */
export function instanceTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'workflows', 'instances'])
  const there = (of: Column): Condition => ({ op: 'not', of: { op: 'null', column: of } })
  const { id, workflow, version, status, finishedAt, resource, recordId } = INSTANCE
  return Object.freeze({
    name: table,
    columns: Object.values(INSTANCE),
    primaryKey: [id],
    indexes: [
      {
        name: boundedName([table, 'workflow', 'idx']),
        columns: [workflow, status, version, id],
        unique: false,
      },
      {
        name: boundedName([table, 'record', 'idx']),
        columns: [recordId, resource, id],
        unique: false,
        where: there(recordId),
      },
      {
        name: boundedName([table, 'finished', 'idx']),
        columns: [finishedAt],
        unique: false,
        where: there(finishedAt),
      },
    ],
    foreignKeys: [],
  })
}
