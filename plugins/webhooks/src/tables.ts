import { column, type Table } from '@svc/store/contract'

/** The columns of an endpoint. */
export const ENDPOINT = {
  id: column('id', 'uuid'),
  url: column('url', 'text'),
  description: column('description', 'text', true),
  events: column('events', 'json'),
  /** The account by whose rights events are told. */
  asId: column('as_id', 'text'),
  asName: column('as_name', 'text'),
  /** Values by name, sealed. */
  headers: column('headers', 'json'),
  enabled: column('enabled', 'boolean'),
  /** Sealed, as is the one before it, which signs beside it for a time. */
  secret: column('secret', 'text'),
  oldSecret: column('old_secret', 'text', true),
  oldUntil: column('old_until', 'datetime', true),
  createdAt: column('created_at', 'datetime'),
  /** It hears what was written after this moment: when it was made, or enabled again. */
  hearsSince: column('hears_since', 'datetime'),
  lastSuccessAt: column('last_success_at', 'datetime', true),
  failingSince: column('failing_since', 'datetime', true),
} as const

/** The columns of a delivery. */
export const DELIVERY = {
  id: column('id', 'uuid'),
  endpoint: column('endpoint', 'uuid'),
  /** Null of a ping, which no domain tells. */
  domain: column('domain', 'text', true),
  eventId: column('event_id', 'uuid'),
  event: column('event', 'text'),
  resource: column('resource', 'text', true),
  recordId: column('record_id', 'text', true),
  status: column('status', 'text'),
  attempts: column('attempts', 'integer'),
  /** Failed attempts since it was last put. */
  failures: column('failures', 'integer'),
  nextAttemptAt: column('next_attempt_at', 'datetime', true),
  responseStatus: column('response_status', 'integer', true),
  responseBody: column('response_body', 'text', true),
  durationMs: column('duration_ms', 'integer', true),
  createdAt: column('created_at', 'datetime'),
} as const

export const endpoints: Table = Object.freeze({
  name: 'svc_webhook_endpoints',
  columns: Object.values(ENDPOINT),
  primaryKey: [ENDPOINT.id],
  indexes: [],
  foreignKeys: [],
})

export const deliveries: Table = Object.freeze({
  name: 'svc_webhook_deliveries',
  columns: Object.values(DELIVERY),
  primaryKey: [DELIVERY.id],
  indexes: [
    {
      name: 'svc_webhook_deliveries_endpoint_idx',
      columns: [DELIVERY.endpoint, DELIVERY.createdAt, DELIVERY.id],
      unique: false,
    },
    { name: 'svc_webhook_deliveries_created_idx', columns: [DELIVERY.createdAt], unique: false },
    { name: 'svc_webhook_deliveries_record_idx', columns: [DELIVERY.recordId], unique: false },
  ],
  foreignKeys: [
    {
      name: 'svc_webhook_deliveries_endpoint_fkey',
      column: DELIVERY.endpoint,
      references: { table: 'svc_webhook_endpoints', column: 'id' },
      onDelete: 'cascade' as const,
    },
  ],
})
