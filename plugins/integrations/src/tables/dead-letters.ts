import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table } from '@svc/store/contract'

/** What may become of a dead letter. */
export const LETTER_STATUSES = ['pending', 'retrying', 'retried', 'exhausted', 'discarded'] as const
export type LetterStatus = (typeof LETTER_STATUSES)[number]

/** The columns of a dead letter. */
export const LETTER = {
  id: column('id', 'uuid'),
  integration: column('integration', 'text'),
  operation: column('operation', 'text', true),
  direction: column('direction', 'text'),
  status: column('status', 'text'),
  resource: column('resource', 'text', true),
  recordId: column('recordId', 'text', true),
  runId: column('runId', 'uuid'),
  /** What the run is made of and sends, sealed. */
  work: column('work', 'text'),
  error: column('error', 'json'),
  attempts: column('attempts', 'integer'),
  /** How often it was retried. */
  retries: column('retries', 'integer'),
  depth: column('depth', 'integer'),
  createdAt: column('createdAt', 'datetime'),
  updatedAt: column('updatedAt', 'datetime'),
  /** When it was retried with success. */
  retriedAt: column('retriedAt', 'datetime', true),
} as const

/** The table of the dead letters of a domain. */
export function letterTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'integrations', 'dead_letters'])
  const { id, integration, status, createdAt, recordId, retriedAt } = LETTER
  const there = (of: typeof recordId) => ({ op: 'not' as const, of: { op: 'null' as const, column: of } })
  return Object.freeze({
    name: table,
    columns: Object.values(LETTER),
    primaryKey: [id],
    indexes: [
      {
        name: boundedName([table, 'integration', 'idx']),
        columns: [integration, createdAt, id],
        unique: false,
      },
      { name: boundedName([table, 'status', 'idx']), columns: [integration, status], unique: false },
      {
        name: boundedName([table, 'record', 'idx']),
        columns: [recordId],
        unique: false,
        where: there(recordId),
      },
      {
        name: boundedName([table, 'retried', 'idx']),
        columns: [retriedAt],
        unique: false,
        where: there(retriedAt),
      },
    ],
    foreignKeys: [],
  })
}
