import { index, nullable, ownedBy, shape } from './shape.ts'

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
  {
    id: 'uuid',
    user_id: 'uuid',
    created_at: 'datetime',
    expires_at: 'datetime',
    refreshed_at: nullable('datetime'),
    address: nullable('text'),
    user_agent: nullable('text'),
  },
  (c) => ({
    primaryKey: [c.id],
    indexes: [
      index('svc_sessions_user', false, c.user_id),
      index('svc_sessions_expiry', false, c.expires_at),
    ],
    foreignKeys: [ownedBy('svc_sessions_user_fk', c.user_id, users)],
  }),
)

/** The refresh tokens of a session: its family, used ones included, so that a second use is noticed. */
export const refreshTokens = shape(
  'svc_refresh_tokens',
  { hash: 'text', session_id: 'uuid', expires_at: 'datetime', used_at: nullable('datetime') },
  (c) => ({
    primaryKey: [c.hash],
    indexes: [
      index('svc_refresh_tokens_session', false, c.session_id),
      index('svc_refresh_tokens_expiry', false, c.expires_at),
    ],
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
    indexes: [
      index('svc_tokens_user', false, c.user_id, c.kind),
      index('svc_tokens_expiry', false, c.expires_at),
    ],
    foreignKeys: [ownedBy('svc_tokens_user_fk', c.user_id, users)],
  }),
)

/** Keys of machines. A key outlives the account that made it: it is an identity of its own. */
export const apiKeys = shape(
  'svc_api_keys',
  {
    id: 'uuid',
    name: 'text',
    name_key: 'text',
    hash: 'text',
    created_at: 'datetime',
    created_by: nullable('text'),
    expires_at: nullable('datetime'),
    last_used_at: nullable('datetime'),
  },
  (c) => ({
    primaryKey: [c.id],
    indexes: [
      index('svc_api_keys_name_key', true, c.name_key),
      index('svc_api_keys_hash', true, c.hash),
      index('svc_api_keys_expiry', false, c.expires_at),
    ],
  }),
)

/** Which key holds which role. */
export const apiKeyRoles = shape('svc_api_key_roles', { key_id: 'uuid', role: 'text' }, (c) => ({
  primaryKey: [c.key_id, c.role],
  indexes: [index('svc_api_key_roles_role', false, c.role)],
  foreignKeys: [
    ownedBy('svc_api_key_roles_key', c.key_id, apiKeys),
    ownedBy('svc_api_key_roles_role_fk', c.role, roles),
  ],
}))

/** One row: how many times a right was taken or given, for servers that share the database. */
export const changes = shape('svc_auth_changes', { id: 'integer', version: 'integer' }, (c) => ({
  primaryKey: [c.id],
}))

/** Every table of this plugin, referenced ones first. */
export const TABLES = [
  users,
  roles,
  userRoles,
  sessions,
  refreshTokens,
  tickets,
  apiKeys,
  apiKeyRoles,
  changes,
].map(({ table }) => table)
