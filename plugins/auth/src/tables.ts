import type { Column, ColumnKind, ForeignKey, Index, Table } from '@svc/store/contract'

/** A table with its columns by name. */
export interface Shape<C> {
  readonly table: Table
  readonly columns: { readonly [K in keyof C]: Column }
}

/** Accounts. The `_key` columns hold the lower-cased text, so that case makes no second account. */
export const users = shape(
  'svc_users',
  {
    id: 'uuid',
    username: 'text',
    username_key: 'text',
    email: 'text',
    email_key: 'text',
    password_hash: 'text',
    status: 'text',
    verified: 'boolean',
    origin: 'text',
    created_at: 'datetime',
    last_login_at: nullable('datetime'),
  },
  (c) => ({
    primaryKey: [c.id],
    indexes: [
      index('svc_users_username_key', true, c.username_key),
      index('svc_users_email_key', true, c.email_key),
    ],
  }),
)

/** Roles that users can hold. */
export const roles = shape(
  'svc_roles',
  { name: 'text', description: 'text', created_at: 'datetime' },
  (c) => ({ primaryKey: [c.name] }),
)

/** Which user holds which role. */
export const userRoles = shape('svc_user_roles', { user_id: 'uuid', role: 'text' }, (c) => ({
  primaryKey: [c.user_id, c.role],
  indexes: [index('svc_user_roles_role', false, c.role)],
  foreignKeys: [
    ownedBy('svc_user_roles_user', c.user_id, users),
    ownedBy('svc_user_roles_role_fk', c.role, roles),
  ],
}))

/** Sign-ins that are in force: a session that ended is not there any more, and its refresh tokens neither. */
export const sessions = shape(
  'svc_sessions',
  { id: 'uuid', user_id: 'uuid', created_at: 'datetime', expires_at: 'datetime' },
  (c) => ({
    primaryKey: [c.id],
    indexes: [index('svc_sessions_user', false, c.user_id)],
    foreignKeys: [ownedBy('svc_sessions_user_fk', c.user_id, users)],
  }),
)

/** The refresh tokens of a session: its family, used ones included, so that a second use is noticed. */
export const refreshTokens = shape(
  'svc_refresh_tokens',
  { hash: 'text', session_id: 'uuid', expires_at: 'datetime', used_at: nullable('datetime') },
  (c) => ({
    primaryKey: [c.hash],
    indexes: [index('svc_refresh_tokens_session', false, c.session_id)],
    foreignKeys: [ownedBy('svc_refresh_tokens_session_fk', c.session_id, sessions)],
  }),
)

/** Single-use tokens that went to an address: they are good for that address alone. */
export const tickets = shape(
  'svc_tokens',
  {
    hash: 'text',
    user_id: 'uuid',
    kind: 'text',
    email_key: 'text',
    expires_at: 'datetime',
    used_at: nullable('datetime'),
  },
  (c) => ({
    primaryKey: [c.hash],
    indexes: [index('svc_tokens_user', false, c.user_id, c.kind)],
    foreignKeys: [ownedBy('svc_tokens_user_fk', c.user_id, users)],
  }),
)

/** One row: how many times a right was taken or given, for servers that share the database. */
export const changes = shape('svc_auth_changes', { id: 'integer', version: 'integer' }, (c) => ({
  primaryKey: [c.id],
}))

/** Every table of this plugin, referenced ones first. */
export const TABLES = [users, roles, userRoles, sessions, refreshTokens, tickets, changes].map(
  ({ table }) => table,
)

/** A kind, for a column that always has a value; or a column without its name. */
type Kinds = Readonly<Record<string, ColumnKind | Omit<Column, 'name'>>>
type Rest = Pick<Table, 'primaryKey'> & Partial<Pick<Table, 'indexes' | 'foreignKeys'>>

function shape<const C extends Kinds>(
  name: string,
  kinds: C,
  rest: (columns: { readonly [K in keyof C]: Column }) => Rest,
): Shape<C> {
  const list = Object.entries(kinds).map(([column, kind]): Column =>
    typeof kind === 'string' ? { name: column, kind, nullable: false } : { name: column, ...kind },
  )
  const columns = Object.fromEntries(list.map((column) => [column.name, column])) as Shape<C>['columns']
  return { columns, table: { name, columns: list, indexes: [], foreignKeys: [], ...rest(columns) } }
}

function nullable(kind: ColumnKind): Omit<Column, 'name'> {
  return { kind, nullable: true }
}

function index(name: string, unique: boolean, ...columns: readonly Column[]): Index {
  return { name, columns, unique }
}

/** The row goes when the one it refers to goes. */
function ownedBy(name: string, column: Column, owner: { readonly table: Table }): ForeignKey {
  const [key] = owner.table.primaryKey
  return {
    name,
    column,
    references: { table: owner.table.name, column: key?.name ?? '' },
    onDelete: 'cascade',
  }
}
