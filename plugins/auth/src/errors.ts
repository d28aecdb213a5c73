import { type Detail, defineErrors, errors } from '@svc/kernel'

/** The errors of accounts, passwords and tokens. */
export const authErrors = defineErrors({
  INVALID_CREDENTIALS: [401, 'The username or the password is wrong'],
  TOKEN_INVALID: [401, 'The token is not valid: sign in again'],
  TOKEN_EXPIRED: [401, 'The access token has expired: refresh it'],
  USER_SUSPENDED: [403, 'This account is suspended: ask an administrator'],
  USER_EXISTS: [409, 'The username or the email is taken: choose another'],
  ALREADY_VERIFIED: [409, 'The email is verified already'],
  DUPLICATE: [409, 'A role with this name exists already'],
  BULK_LIMIT_EXCEEDED: [422, 'Too many passwords for one request: send fewer'],
  WEAK_PASSWORD: [422, 'The password is too weak'],
})

/** RFC 9110, section 11.6.1: a 401 names the scheme that would be accepted. */
const challenge = (error?: string): Detail => ({
  headers: { 'WWW-Authenticate': error === undefined ? 'Bearer' : `Bearer error="${error}"` },
})

/** 401 for a caller who showed nothing. */
export const unauthorized = () => errors.UNAUTHORIZED(challenge())

/** 401 for a bearer token that is no good (RFC 6750, section 3.1). */
export const tokenInvalid = () => authErrors.TOKEN_INVALID(challenge('invalid_token'))

/** 401 for a bearer token that was good once. */
export const tokenExpired = () => authErrors.TOKEN_EXPIRED(challenge('invalid_token'))

/** 401 for a wrong name or password; it never says which of the two. */
export const invalidCredentials = () => authErrors.INVALID_CREDENTIALS(challenge())

/** 422 with one fault of one field. */
export const fieldFault = (field: string, rule: string, message: string) =>
  errors.VALIDATION_ERROR({ errors: [{ field, rule, message }] })
