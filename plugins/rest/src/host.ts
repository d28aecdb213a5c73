import type { IncomingMessage } from 'node:http'
import { errors } from '@svc/kernel'

/** Throws BAD_REQUEST where an HTTP/1.1 request names no host, or more than one (RFC 9112, section 3.2). */
export function assertHost({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (!headers.host && httpVersion === '1.1')
    throw errors.BAD_REQUEST({ message: 'The Host header is missing: HTTP/1.1 needs one' })
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at]!)) hosts += 1
  if (hosts > 1) throw errors.BAD_REQUEST({ message: 'There is more than one Host header' })
}

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host'
