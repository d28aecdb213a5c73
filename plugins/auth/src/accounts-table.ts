import type { Column, Table } from '@svc/store/contract'
import { userRoles, users } from './tables.ts'

/** Where accounts stand, for plans that read records together with the users that they belong to. */
export const ACCOUNTS: {
  readonly table: Table
  readonly id: Column
  readonly username: Column
  readonly email: Column
  /** A row for each role of each account. */
  readonly roles: { readonly table: Table; readonly userId: Column; readonly role: Column }
} = Object.freeze({
  table: users.table,
  id: users.columns.id,
  username: users.columns.username,
  email: users.columns.email,
  roles: { table: userRoles.table, userId: userRoles.columns.user_id, role: userRoles.columns.role },
})
