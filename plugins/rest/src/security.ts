import type { RestConfig } from './config.ts'

/** The headers of every answer that tell browsers to be careful. */
export function securityHeaders({ security, tls }: RestConfig): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': security.x_frame_options,
    'referrer-policy': 'no-referrer',
    ...(tls &&
      security.hsts_max_age > 0 && { 'strict-transport-security': `max-age=${security.hsts_max_age}` }),
  }
}
