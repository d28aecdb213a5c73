import type { Caller } from '@svc/kernel'
import { z } from 'zod'
import type { Account, Profile } from './account.ts'
import type { User } from './users.ts'

const status = z.enum(['active', 'suspended'])

/** The `user` object of a sign-in and of `/auth/me`. */
export const profile = z.strictObject({
  id: z.string().describe('UUID'),
  username: z.string(),
  email: z.string(),
  status,
  verified: z.boolean(),
  roles: z.array(z.string()).readonly(),
  created_at: z.string().describe('RFC 3339, UTC'),
})

/** A user as their own profile shows one. */
export const profileOf = (user: User, roles: readonly string[]): Profile => ({
  id: user.id,
  username: user.username,
  email: user.email,
  status: user.status,
  verified: user.verified,
  roles,
  created_at: user.createdAt,
})

/** A user as administrators see one in a list. */
export const userSummary = z.strictObject({
  id: z.string().describe('UUID'),
  username: z.string(),
  email: z.string(),
  status,
  verified: z.boolean(),
  createdAt: z.string().describe('RFC 3339, UTC'),
})

export const summaryOf = ({ id, username, email, status: state, verified, createdAt }: User) => ({
  id,
  username,
  email,
  status: state,
  verified,
  createdAt,
})

/** A user as administrators see one alone. */
export const userDetail = userSummary.extend({
  roles: z.array(z.string()).readonly(),
  lastLoginAt: z.string().nullable(),
})

export const detailOf = (user: User, roles: readonly string[]) => ({
  ...summaryOf(user),
  roles,
  lastLoginAt: user.lastLoginAt,
})

/** A user as other plugins see one. */
export const accountOf = (user: User, roles: readonly string[]): Account => ({
  ...detailOf(user, roles),
  origin: user.origin,
})

/** The rights of an account as it stands, for what is done on its behalf without a token. */
export const callerOf = ({ id, username, email, roles }: Account): Caller =>
  Object.freeze({
    kind: 'user',
    id,
    username,
    email,
    roles: Object.freeze([...roles]),
    claims: Object.freeze({}),
  })
