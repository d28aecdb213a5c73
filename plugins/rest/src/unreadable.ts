import type { Socket } from 'node:net'
import { errorText, type Logger, newRequestId } from '@svc/kernel'
import type { Connections } from './connections.ts'
import type { HeaderSet } from './cors.ts'
import { closeGently } from './linger.ts'

/** What a parser's complaint means to the client; any other is 400. */
const COMPLAINTS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are larger than this server takes',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['400 Bad Request', 'The request took too long to arrive'],
}
const MALFORMED = ['400 Bad Request', 'This is not a well-formed HTTP request'] as const

/**
 * Answers bytes that are no HTTP request, after the answers to the requests before them, and ends the
 * connection.
 */
export function answerUnreadable(standing: HeaderSet, connections: Connections, log: Logger) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const refuse = () => {
      const requestId = newRequestId()
      log.info({ code: 'BAD_REQUEST', remote: socket.remoteAddress, requestId }, 'request.refused')
      if (socket.writable) socket.write(refusal(error.code, standing, requestId))
      closeGently(socket)
    }
    const earlier = connections.lastResponse(socket)
    if (earlier === undefined || earlier.writableFinished) refuse()
    else if (earlier.req.complete) earlier.once('finish', refuse)
    else if (earlier.headersSent) socket.destroy()
    else refuse()
  }
}

function refusal(code: string | undefined, standing: HeaderSet, requestId: string): string {
  const [status, message] = COMPLAINTS[code ?? ''] ?? MALFORMED
  const body = errorText(Number.parseInt(status), 'BAD_REQUEST', message)
  const headers = {
    ...standing,
    'x-request-id': requestId,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  return `HTTP/1.1 ${status}\r\n${lines}\r\n${body}`
}
