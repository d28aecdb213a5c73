import type { Secret } from '@svc/domain/contract'
import { errors } from '@svc/kernel'

/** The value of a secret, for one request. Throws CONFLICT where it is not configured. */
export function revealed(secret: Secret): string {
  const value = secret.reveal()
  if (value !== undefined) return value
  throw errors.CONFLICT({
    message: `The variable ${secret.variable} is not set, and the integration needs it: ask an administrator to set it`,
  })
}
