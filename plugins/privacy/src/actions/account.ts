import type { Account } from '@svc/auth/contract'
import type { Row } from '@svc/store/contract'

/** An account as its person is shown it. */
export const presentAccount = (account: Account | undefined): Row | null =>
  account === undefined
    ? null
    : {
        id: account.id,
        username: account.username,
        email: account.email,
        roles: [...account.roles],
        createdAt: account.createdAt,
        lastLoginAt: account.lastLoginAt,
      }
