import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table } from '@svc/store/contract'

/** The columns of an entry of the log: one for each attempt, and for each message that came in. */
export const ENTRY = {
  id: column('id', 'uuid'),
  integration: column('integration', 'text'),
  operation: column('operation', 'text', true),
  direction: column('direction', 'text'),
  method: column('method', 'text', true),
  url: column('url', 'text', true),
  requestBody: column('requestBody', 'json', true),
  responseStatus: column('responseStatus', 'integer', true),
  responseBody: column('responseBody', 'json', true),
  durationMs: column('durationMs', 'integer', true),
  success: column('success', 'boolean'),
  errorMessage: column('errorMessage', 'text', true),
  attemptNumber: column('attemptNumber', 'integer'),
  triggeredBy: column('triggeredBy', 'text'),
  /** The account that set it off: `{id, username}`. */
  actor: column('actor', 'json', true),
  createdAt: column('createdAt', 'datetime'),
  runId: column('runId', 'uuid', true),
  resource: column('resource', 'text', true),
  recordId: column('recordId', 'text', true),
} as const

/** The table of the log of a domain's integrations. */
export function logTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'integrations', 'log'])
  const { id, integration, createdAt, recordId } = ENTRY
  return Object.freeze({
    name: table,
    columns: Object.values(ENTRY),
    primaryKey: [id],
    indexes: [
      {
        name: boundedName([table, 'integration', 'idx']),
        columns: [integration, createdAt, id],
        unique: false,
      },
      { name: boundedName([table, 'created', 'idx']), columns: [createdAt], unique: false },
      {
        name: boundedName([table, 'record', 'idx']),
        columns: [recordId],
        unique: false,
        where: { op: 'not' as const, of: { op: 'null' as const, column: recordId } },
      },
    ],
    foreignKeys: [],
  })
}
