import type { Column, Table } from '@svc/store/contract'

/** The columns of the request audit. */
export const COLUMNS = {
  id: { name: 'id', kind: 'uuid', nullable: false },
  /** Null where nobody was signed in. */
  username: { name: 'username', kind: 'text', nullable: true },
  action: { name: 'action', kind: 'text', nullable: false },
  transport: { name: 'transport', kind: 'text', nullable: false },
  remoteAddr: { name: 'remote_addr', kind: 'text', nullable: false },
  statusCode: { name: 'status_code', kind: 'integer', nullable: false },
  /** Milliseconds, to the microsecond. */
  durationMs: { name: 'duration_ms', kind: 'float', nullable: false },
  /** When the request came. */
  timestamp: { name: 'timestamp', kind: 'datetime', nullable: false },
} as const satisfies Record<string, Column>

const { id, username, timestamp } = COLUMNS

/** One row for each request on record. */
export const AUDIT_TABLE: Table = {
  name: 'svc_audit',
  columns: Object.values(COLUMNS),
  // In the order in which rows are asked for: one index less to write with every request.
  primaryKey: [timestamp, id],
  indexes: [{ name: 'svc_audit_username', columns: [username, timestamp, id], unique: false }],
  foreignKeys: [],
}
