import { errors } from '@svc/kernel'
import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import type { AccountStatus, Origin } from './account.ts'
import { isId, isUsername, keyOf } from './fields.ts'
import { any, eq, maybeTextIn, textIn } from './rows.ts'
import { users } from './tables.ts'

/** An account as it is stored. */
export interface User {
  readonly id: string
  readonly username: string
  readonly email: string
  readonly passwordHash: string
  readonly status: AccountStatus
  readonly verified: boolean
  readonly origin: Origin
  readonly createdAt: string
  readonly lastLoginAt: string | null
}

const { table, columns } = users

/** The first user that `where` holds for. */
export async function findUser(reader: Reader, where: Condition, lock = false): Promise<User | undefined> {
  const [row] = await reader.select({ table, columns: table.columns, where, order: [], limit: 1, lock })
  return row && userOf(row)
}

/** Users in order of their creation. */
export async function listUsers(
  reader: Reader,
  where: Condition,
  page: { readonly limit: number; readonly offset: number },
): Promise<readonly User[]> {
  const order = [{ column: columns.id, descending: false }]
  const rows = await reader.select({ table, columns: table.columns, where, order, ...page })
  return rows.map(userOf)
}

/** Holds a user's row until the transaction ends, so that nobody removes it meanwhile. Throws NOT_FOUND. */
export async function holdUser(transaction: Transaction, id: string): Promise<User> {
  const user = await findUser(transaction, byId(id), true)
  if (user === undefined) throw errors.NOT_FOUND({ message: 'No user has this id' })
  return user
}

export const byId = (id: string): Condition => eq(columns.id, id)
export const byEmail = (email: string): Condition => eq(columns.email_key, keyOf(email))
export const byUsername = (username: string): Condition => eq(columns.username_key, keyOf(username))

/** What people type to sign in. A username has no `@`, so it is never taken for an address. */
export const byLogin = (login: string): Condition => any(byUsername(login), byEmail(login))

/** The user of an id or a username; an id wins over a username that looks like one. */
export async function findNamed(reader: Reader, idOrUsername: string): Promise<User | undefined> {
  const key = keyOf(idOrUsername)
  const user = isId(key) ? await findUser(reader, byId(key)) : undefined
  return user ?? (isUsername(key) ? findUser(reader, byUsername(key)) : undefined)
}

/** Adds an account. Throws StoreConflict where the username or the email is taken. */
export async function insertUser(transaction: Transaction, user: User): Promise<void> {
  await transaction.insert({
    table,
    values: {
      id: user.id,
      username: user.username,
      username_key: keyOf(user.username),
      email: user.email,
      email_key: keyOf(user.email),
      password_hash: user.passwordHash,
      status: user.status,
      verified: user.verified,
      origin: user.origin,
      created_at: user.createdAt,
      last_login_at: user.lastLoginAt,
    },
  })
}

function userOf(row: Row): User {
  return {
    id: textIn(row, columns.id),
    username: textIn(row, columns.username),
    email: textIn(row, columns.email),
    passwordHash: textIn(row, columns.password_hash),
    status: textIn(row, columns.status) === 'active' ? 'active' : 'suspended',
    verified: row[columns.verified.name] === true,
    origin: textIn(row, columns.origin) === 'seeded' ? 'seeded' : 'registered',
    createdAt: textIn(row, columns.created_at),
    lastLoginAt: maybeTextIn(row, columns.last_login_at),
  }
}
