import { z } from 'zod'

/** A longer password would let one request hash for long. */
const MAX_PASSWORD_BYTES = 1024
/** RFC 5321, section 4.5.3.1.3: a path has 256 octets with its two angle brackets. */
const MAX_EMAIL_LENGTH = 254
/** RFC 5321, section 4.1.2: a dot-string before the `@`, a domain of at least two labels after it. ASCII alone. */
const EMAIL =
  /^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/

/** No UUID: where users are named by id or username, nobody is to go by somebody else's id. */
const USERNAME = /^(?![0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$)[A-Za-z0-9._-]{3,64}$/
/** What an account of an earlier release may be called. */
const NAME = /^[A-Za-z0-9._-]{3,64}$/

/** A username: 3 to 64 letters, digits, dots, underscores and hyphens, and no UUID. */
export const username = z
  .string()
  .regex(USERNAME, '3 to 64 letters, digits, dots, underscores or hyphens, and no UUID')

/** Whether `text` could be the username of an account; a store need not be asked for anything else, and may refuse it. */
export const isUsername = (text: string): boolean => NAME.test(text)

/** An email address; mail goes to it as it is written. */
export const email = z.email({ pattern: EMAIL, error: 'This is not an email address' }).max(MAX_EMAIL_LENGTH)

/** A password as it was typed; whether it is strong is asked elsewhere. */
export const password = z.string().check(({ value, issues }) => {
  if (Buffer.byteLength(value) <= MAX_PASSWORD_BYTES) return
  issues.push({
    code: 'too_big',
    origin: 'string',
    maximum: MAX_PASSWORD_BYTES,
    inclusive: true,
    input: '',
    message: `At most ${MAX_PASSWORD_BYTES} bytes`,
  })
})

/** A secret that this server gave out: a refresh, verification or reset token. */
export const secret = z.string().min(1).max(512)

/** These words mean something else where a permission names a role. */
const RESERVED = ['authenticated', 'owner']

/** The name of a role, as permissions write it. */
export const roleName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9._-]{0,62}$/,
    'A letter, then up to 62 letters, digits, dots, underscores or hyphens',
  )
  .refine((name) => !RESERVED.includes(name), `'${RESERVED.join("' and '")}' are taken by permissions`)

/** Users' names and addresses are told apart without regard to case. */
export const keyOf = (nameOrEmail: string): string => nameOrEmail.toLowerCase()

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether `text` can be compared with an id; a store refuses to compare anything else. */
export const isId = (text: string): boolean => UUID.test(text)
