import type { Accounts } from '@svc/auth/contract'
import { newPassword } from './password.ts'

/** A new administrator, and the password that is shown once. */
export interface Administrator {
  readonly username: string
  readonly password: string
}

/** Makes an administrator with a password of its own. */
export async function createAdministrator(
  accounts: Accounts,
  username = 'admin',
  email = `${username}@localhost.localdomain`,
): Promise<Administrator> {
  const password = newPassword()
  await accounts.create({ username, email, password, roles: ['admin'], verified: true })
  return { username, password }
}
