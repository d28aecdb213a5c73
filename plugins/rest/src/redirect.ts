import { createServer, type Server } from 'node:http'
import { errorText, newRequestId } from '@svc/kernel'
import type { RestConfig } from './config.ts'
import { transportLimits } from './limits.ts'
import { securityHeaders } from './security.ts'

/** A server that sends every plain request to the same address on HTTPS (308 keeps method and body). */
export function createRedirectServer(config: RestConfig, securePort: number): Server {
  // HSTS has no place on plain HTTP (RFC 6797, section 7.2).
  const standing = securityHeaders({ ...config, tls: undefined })
  return createServer({ ...transportLimits(config), requireHostHeader: false }, (request, response) => {
    const location = secureAddress(request.headers.host, request.url, securePort)
    const headers = { ...standing, 'x-request-id': newRequestId() }
    if (location !== undefined) {
      response.writeHead(308, { ...headers, location, 'content-length': 0 }).end()
      return
    }
    const body = errorText(400, 'BAD_REQUEST', 'The Host header is missing or malformed')
    response.writeHead(400, { ...headers, 'content-type': 'application/json' }).end(body)
  })
}

const HOST = /^(\[[\da-f:.]+\]|[a-z\d](?:[a-z\d._-]*[a-z\d])?)(?::\d{1,5})?$/i

function secureAddress(host: string | undefined, path: string | undefined, port: number): string | undefined {
  const name = HOST.exec(host ?? '')?.[1]
  if (name === undefined) return undefined
  return `https://${name}${port === 443 ? '' : `:${port}`}${path?.startsWith('/') ? path : '/'}`
}
