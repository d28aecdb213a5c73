export type AccountStatus = 'active' | 'suspended'

/** How an account came to be: by its owner or an administrator, or from the seed manifest. */
export type Origin = 'registered' | 'seeded'

/** A user's account, without its password. */
export interface Account {
  readonly id: string
  readonly username: string
  readonly email: string
  readonly status: AccountStatus
  readonly verified: boolean
  readonly roles: readonly string[]
  readonly origin: Origin
  /** RFC 3339, UTC. */
  readonly createdAt: string
  readonly lastLoginAt: string | null
}

/** The `user` object of a sign-in and of `/auth/me`. */
export interface Profile {
  readonly id: string
  readonly username: string
  readonly email: string
  readonly status: AccountStatus
  readonly verified: boolean
  readonly roles: readonly string[]
  readonly created_at: string
}
