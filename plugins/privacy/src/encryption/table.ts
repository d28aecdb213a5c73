import { column, type Table } from '@svc/store/contract'

/** What a key is for: values, or the hashes by which equal values are found. */
export type Purpose = 'data' | 'blind'

export const KEY = {
  domain: column('domain', 'text'),
  purpose: column('purpose', 'text'),
  /** Counts from 1 within a domain and purpose. */
  number: column('number', 'integer'),
  /** The key under the one that `wrappedBy` names, in base64. */
  wrapped: column('wrapped', 'text'),
  wrappedBy: column('wrappedBy', 'text'),
  createdAt: column('createdAt', 'datetime'),
  /** From when on values are written with it: until then every server has it. */
  activeFrom: column('activeFrom', 'datetime'),
}

/** The keys that the service has made, wrapped. */
export const KEYS: Table = {
  name: 'svc_encryption_keys',
  columns: Object.values(KEY),
  primaryKey: [KEY.domain, KEY.purpose, KEY.number],
  indexes: [],
  foreignKeys: [],
}
