import { column, type Column, type Table } from '@svc/store/contract'

/** What stands in place of an address that is not known, or not known any more. */
export const NO_ADDRESS = ''

/** The columns of the request audit, of the latest request that a row stands for. */
export const COLUMNS = {
  id: column('id', 'uuid'),
  /** Null where nobody was signed in. */
  username: column('username', 'text', true),
  action: column('action', 'text'),
  transport: column('transport', 'text'),
  /** `NO_ADDRESS` where none is kept. */
  remoteAddr: column('remote_addr', 'text'),
  statusCode: column('status_code', 'integer'),
  /** Milliseconds, to the microsecond. */
  durationMs: column('duration_ms', 'float'),
  /** When the request came. */
  timestamp: column('timestamp', 'datetime'),
} as const satisfies Record<string, Column>

/** The columns of those before it: requests that differ in their times alone, and are written together, share a row. */
export const EARLIER = {
  /** When the first of them came; null where there is one alone. */
  earliest: column('earliest', 'datetime', true),
  /** Of each the place in its id, by how many milliseconds it came earlier, and how long it took; null where there are none. */
  earlier: column('earlier', 'json', true),
} as const satisfies Record<string, Column>

/** Requests of a row came within so many milliseconds: what came in a range of time is found in hardly more rows. */
export const SPAN_MS = 60_000

const { id, username, timestamp } = COLUMNS

export const AUDIT_TABLE: Table = {
  name: 'svc_audit',
  columns: [...Object.values(COLUMNS), ...Object.values(EARLIER)],
  // In the order in which rows are asked for: one index less to write with every request.
  primaryKey: [timestamp, id],
  indexes: [{ name: 'svc_audit_username', columns: [username, timestamp, id], unique: false }],
  foreignKeys: [],
}
