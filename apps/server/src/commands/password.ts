import { randomBytes } from 'node:crypto'

/** 120 random bits, with one character of each kind that the password policy asks for. */
export const newPassword = (): string => `${randomBytes(15).toString('base64url')}-aA1`

/** What is printed of an account and its new password. */
export const shownPassword = (what: string, username: string, password: string): string =>
  `${`${what}:`.padEnd(14)} ${username}
password:      ${password}
It is shown this once: keep it, or change it with POST /api/v1/auth/change-password.
`
