import { StoreConflict, type Transaction } from '@svc/store/contract'
import type { Auth } from './auth.ts'
import type { NewAccount } from './contract.ts'
import { authErrors } from './errors.ts'
import { keyOf } from './fields.ts'
import { replaceRoles } from './roles.ts'
import { timestamp } from './rows.ts'
import { insertUser, type User } from './users.ts'

/** Logs show the server itself under this name: nobody else may go by it. */
const RESERVED = 'system'

/** Hashes the password and makes the row of an account that is not stored yet. Throws WEAK_PASSWORD. */
export async function prepareUser(auth: Auth, account: NewAccount, client: string): Promise<User> {
  if (keyOf(account.username) === RESERVED) throw authErrors.USER_EXISTS()
  return {
    id: auth.newId(),
    username: account.username,
    email: account.email,
    passwordHash: await auth.passwords.hash(account.password, 'password', client),
    status: 'active',
    verified: account.verified ?? false,
    origin: account.origin ?? 'registered',
    createdAt: timestamp(auth.env.now()),
    lastLoginAt: null,
  }
}

/** Stores a new user with roles, and does `more` in the same transaction. Throws USER_EXISTS. */
export async function storeUser<T>(
  auth: Auth,
  user: User,
  roles: readonly string[],
  more: (transaction: Transaction, roles: readonly string[]) => Promise<T>,
): Promise<T> {
  try {
    return await auth.store.transaction(async (transaction) => {
      await insertUser(transaction, user)
      return more(transaction, roles.length === 0 ? [] : await replaceRoles(transaction, user.id, roles))
    })
  } catch (error) {
    if (error instanceof StoreConflict && error.kind === 'unique') throw authErrors.USER_EXISTS()
    throw error
  }
}
