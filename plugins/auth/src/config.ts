import { z } from 'zod'
import { roleName } from './fields.ts'

const jwt = z.strictObject({
  algorithm: z
    .literal('HS256')
    .default('HS256')
    .describe('How access tokens are signed; HS256 alone is known'),
  secret: z
    .string()
    .min(32, 'must have at least 32 characters')
    .describe('The key that signs access tokens: at least 32 characters that nobody can guess'),
  issuer: z.string().min(1).default('svc').describe('The `iss` claim; a token with another one is refused'),
  access_token_ttl_seconds: z
    .int()
    .min(1)
    .default(900)
    .describe('How long an access token is good, in seconds'),
  refresh_token_ttl_seconds: z
    .int()
    .min(1)
    .default(604_800)
    .describe('How long a refresh token is good, in seconds; each refresh starts it anew'),
})

const password = z.strictObject({
  algorithm: z
    .literal('argon2id')
    .default('argon2id')
    .describe('How passwords are hashed; argon2id alone is known'),
  disable_checking: z.boolean().default(false).describe('Accept weak passwords; for development'),
})

const page = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
  .optional()

const registration = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether strangers may make accounts; where not, `POST /auth/register` is 403'),
  roles: z
    .array(roleName)
    .default([])
    .describe('The roles of accounts that strangers make; those that are not there are made at the start'),
})

const links = z.strictObject({
  verify_email: page.describe(
    'The page that mails to prove an address lead to; `token` is added to its query',
  ),
  reset_password: page.describe(
    'The page that mails to reset a password lead to; `token` is added to its query',
  ),
})

/** The configuration section `auth`. */
export const config = z.strictObject({
  registration: registration.prefault({}).describe('Accounts that strangers make for themselves'),
  jwt: jwt.describe('Access and refresh tokens'),
  password: password.prefault({}).describe('Passwords'),
  links: links
    .prefault({})
    .describe('Pages of your own that mails lead to; without one a mail holds the token alone'),
  store: z.string().default('default').describe('The name of the store that keeps the accounts'),
  prefix: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be a path like /api/v1')
    .default('/api/v1')
    .describe(
      'The path under which /auth and the parts of /admin that are about accounts stand: users, roles and API keys',
    ),
})

export type AuthConfig = z.output<typeof config>
