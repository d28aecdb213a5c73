import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Condition, type Table } from '@svc/store/contract'

/** What may become of a firing. */
export const FIRING_STATUSES = ['running', 'fired', 'skipped', 'superseded', 'failed'] as const
export type FiringStatus = (typeof FIRING_STATUSES)[number]

/** The columns of a firing. */
export const FIRING = {
  id: column('id', 'uuid'),
  schedule: column('schedule', 'text'),
  action: column('action', 'text'),
  resource: column('resource', 'text', true),
  recordId: column('recordId', 'text', true),
  tag: column('tag', 'text', true),
  /** What the tag is made of, where not everybody may be told it. */
  tagVeil: column('tagVeil', 'json', true),
  /** The run by hand that it belongs to. */
  run: column('run', 'uuid', true),
  plannedAt: column('plannedAt', 'datetime'),
  firedAt: column('firedAt', 'datetime', true),
  status: column('status', 'text'),
  attempts: column('attempts', 'integer'),
  /** How many records it is about. */
  count: column('count', 'integer'),
  result: column('result', 'json', true),
  error: column('error', 'json', true),
  errors: column('errors', 'json', true),
  /** When it was entered. */
  at: column('at', 'datetime'),
  /** When it was over; empty while it may still be tried again. */
  endedAt: column('endedAt', 'datetime', true),
  /** Which of the schedule's deeds it is. */
  deed: column('deed', 'text'),
  /** Of a batch: the keys of its records. */
  records: column('records', 'json', true),
}

/** The table of a domain's firings. */
export function firingTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'schedules', 'firings'])
  const { id, at, schedule, resource, recordId, records, endedAt, run } = FIRING
  const there = (of: typeof id): Condition => ({ op: 'not', of: { op: 'null', column: of } })
  const index = (what: string, columns: readonly (typeof id)[], where?: Condition) => ({
    name: boundedName([table, what, 'idx']),
    columns,
    unique: false,
    ...(where && { where }),
  })
  return Object.freeze({
    name: table,
    columns: Object.values(FIRING),
    primaryKey: [id],
    indexes: [
      index('at', [at, id]),
      index('schedule', [schedule, at, id]),
      index('record', [recordId, at, id], there(recordId)),
      index('run', [run, at, id], there(run)),
      index('batch', [resource, id], there(records)),
      index('ended', [endedAt], there(endedAt)),
    ],
    foreignKeys: [],
  })
}
