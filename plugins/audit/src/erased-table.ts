import { column, type Table } from '@svc/store/contract'

/** The columns of the accounts that went with their persons, for as long as requests under their names may still be written. */
export const ERASED = {
  id: column('id', 'uuid'),
  /** A keyed hash of the name. */
  name: column('name', 'text'),
  pseudonym: column('pseudonym', 'text'),
  at: column('at', 'datetime'),
}

/** It stands beside the accounts, and not in the journal: an entry is made in the transaction that removes one. */
export const ERASED_TABLE: Table = {
  name: 'svc_audit_erased',
  columns: Object.values(ERASED),
  primaryKey: [ERASED.id],
  indexes: [],
  foreignKeys: [],
}
