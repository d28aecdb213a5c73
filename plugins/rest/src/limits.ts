import type { ServerOptions } from 'node:http'
import type { RestConfig } from './config.ts'

/** How long nothing may come before the system asks whether there is anybody, in milliseconds. */
const KEEP_ALIVE_MS = 60_000

/** What slow or idle clients may take of the server. */
export function transportLimits(config: RestConfig): ServerOptions {
  const { headers_timeout_ms, body_timeout_ms, keep_alive_timeout_ms } = config
  const receive = headers_timeout_ms + body_timeout_ms
  return {
    // Whoever is gone without a word while a stream rests is found out by the system (RFC 9293, section 3.8.4).
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    headersTimeout: headers_timeout_ms,
    requestTimeout: receive,
    keepAliveTimeout: keep_alive_timeout_ms,
    // How often the two first limits are looked at.
    connectionsCheckingInterval: Math.min(1000, Math.ceil(headers_timeout_ms / 2)),
  }
}
