import type { RestConfig } from './config.ts'

/** Headers by lower-case name. */
export type HeaderSet = Readonly<Record<string, string>>

/** The headers of every answer that tell browsers to be careful. */
export function securityHeaders({ security, tls }: RestConfig): HeaderSet {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': security.x_frame_options,
    'referrer-policy': 'no-referrer',
    ...(tls &&
      security.hsts_max_age > 0 && { 'strict-transport-security': `max-age=${security.hsts_max_age}` }),
  }
}
