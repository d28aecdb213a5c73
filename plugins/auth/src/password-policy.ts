import { authErrors } from './errors.ts'

const MIN_LENGTH = 8

/** What a password must have, and how that is said. */
const DEMANDS: readonly { readonly rule: string; readonly message: string; readonly met: RegExp }[] = [
  {
    rule: 'minLength',
    message: `At least ${MIN_LENGTH} characters`,
    met: new RegExp(`^.{${MIN_LENGTH},}$`, 'su'),
  },
  { rule: 'uppercase', message: 'At least one uppercase letter', met: /\p{Lu}/u },
  { rule: 'lowercase', message: 'At least one lowercase letter', met: /\p{Ll}/u },
  { rule: 'digit', message: 'At least one digit', met: /\p{Nd}/u },
  { rule: 'special', message: 'At least one special character', met: /[^\p{L}\p{M}\p{N}\s]/u },
]

/** Refuses a password (422 WEAK_PASSWORD) and says all that it lacks. */
export function assertStrong(password: string, field: string): void {
  const errors = DEMANDS.filter(({ met }) => !met.test(password)).map(({ rule, message }) => ({
    field,
    rule,
    message,
  }))
  if (errors.length === 0) return
  const lacks = errors.map(({ message }) => message.toLowerCase()).join(', ')
  throw authErrors.WEAK_PASSWORD({ message: `The password is too weak. It needs: ${lacks}`, errors })
}

/** What is left of the policy where it is switched off: there must be a password. */
export function assertNotEmpty(password: string, field: string): void {
  if (password !== '') return
  const message = 'The password is empty'
  throw authErrors.WEAK_PASSWORD({ message, errors: [{ field, rule: 'minLength', message }] })
}
