import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Condition, type Table } from '@svc/store/contract'

/** What may become of a run. */
export const RUN_STATUSES = ['queued', 'running', 'succeeded', 'skipped', 'failed'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** The columns of a run. */
export const RUN = {
  id: column('id', 'uuid'),
  integration: column('integration', 'text'),
  operation: column('operation', 'text'),
  status: column('status', 'text'),
  /** What set it off, as the log says it. */
  triggeredBy: column('triggeredBy', 'text'),
  /** The account that did: `{id, username}`. */
  actor: column('actor', 'json', true),
  resource: column('resource', 'text', true),
  recordId: column('recordId', 'text', true),
  /** What it is made of, and what it sends once that is made: sealed, as it may hold anything. */
  work: column('work', 'text'),
  /** How deep the write was that set it off. */
  depth: column('depth', 'integer'),
  /** How many runs have set each other off until this one. */
  chain: column('chain', 'integer'),
  attempts: column('attempts', 'integer'),
  /** Before which it is not tried again. */
  nextAt: column('nextAt', 'datetime', true),
  responseStatus: column('responseStatus', 'integer', true),
  /** What it brought, sealed. */
  result: column('result', 'text', true),
  error: column('error', 'json', true),
  /** The dead letter that it tries again, or became. */
  deadLetter: column('deadLetter', 'uuid', true),
  at: column('at', 'datetime'),
  endedAt: column('endedAt', 'datetime', true),
} as const

/** The table of a domain's runs. */
export function runTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'integrations', 'runs'])
  const { id, at, integration, endedAt, recordId } = RUN
  const isOpen: Condition = { op: 'null', column: endedAt }
  return Object.freeze({
    name: table,
    columns: Object.values(RUN),
    primaryKey: [id],
    indexes: [
      {
        name: boundedName([table, 'open', 'idx']),
        columns: [integration, at],
        unique: false,
        where: isOpen,
      },
      {
        name: boundedName([table, 'record', 'idx']),
        columns: [recordId],
        unique: false,
        where: { op: 'not' as const, of: { op: 'null' as const, column: recordId } },
      },
      {
        name: boundedName([table, 'ended', 'idx']),
        columns: [endedAt],
        unique: false,
        where: { op: 'not' as const, of: isOpen },
      },
    ],
    foreignKeys: [],
  })
}
