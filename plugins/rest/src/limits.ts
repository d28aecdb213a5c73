import type { ServerOptions } from 'node:http'
import type { RestConfig } from './config.ts'

/** What slow or idle clients may take of the server. */
export function transportLimits(config: RestConfig): ServerOptions {
  const { headers_timeout_ms, body_timeout_ms, keep_alive_timeout_ms } = config
  const receive = headers_timeout_ms + body_timeout_ms
  return {
    headersTimeout: headers_timeout_ms,
    requestTimeout: receive,
    keepAliveTimeout: keep_alive_timeout_ms,
    // How often the two first limits are looked at.
    connectionsCheckingInterval: Math.min(1000, Math.ceil(headers_timeout_ms / 2)),
  }
}
