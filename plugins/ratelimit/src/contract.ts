import { capability } from '@svc/kernel'

export { clientKey } from './client-key.ts'

/**
 * Counts failures under a key and says when a key has had too many. Count a failure before the secret is
 * checked and clear the key when it was right: then tries that run side by side are counted too. A key that names a
 * client names it by `clientKey`: whoever has one IPv6 address has a whole network of them.
 */
export interface FailureLimit {
  /** Seconds to wait before the next try; 0 when it may go on at once. */
  blocked(key: string): number
  /** Counts one failure. */
  failed(key: string): void
  /** Forgets the failures of `key`. */
  cleared(key: string): void
}

/** The server's limit of failed logins; every key is free while rate limiting is switched off. */
export const FailureLimitCapability = capability<FailureLimit>('failure-limit')
