import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { getRequestListener } from '@hono/node-server'
import type { Close, Context, Logger } from '@svc/kernel'
import type { App } from './app.ts'
import type { RestConfig } from './config.ts'
import { type Answering, type Connections, trackConnections } from './connections.ts'
import { transportLimits } from './limits.ts'
import { assertFree, listen, type Place } from './listen.ts'
import { createRedirectServer } from './redirect.ts'
import { readCertificate } from './tls.ts'
import { answerUnreadable } from './unreadable.ts'
import type { SharedParts, Socketed } from './visit.ts'

export interface ServerParts {
  readonly config: RestConfig
  readonly app: App
  readonly shared: SharedParts
  readonly log: Logger
  readonly listens: Context['listens']
}

/** A server that takes requests. */
export interface Listening {
  readonly url: string
  readonly port: number
  /** Drains: nothing new is taken, what is under way is finished, 10 seconds at most unless configured. */
  readonly close: Close
}

/** The most that it may take to close: the drain, and ten seconds for what is left then. */
export const closingMs = ({ drain_timeout_ms: drainMs }: RestConfig): number => drainMs + 10_000

/** Reads the certificate and looks whether the server can listen as configured, long before it does. Throws a StartupError. */
export async function checkServer({ host, port, tls }: RestConfig): Promise<void> {
  if (tls) readCertificate(tls)
  await assertFree(mainPlace(host, port))
  if (tls?.redirect_http) await assertFree(redirectPlace(host, tls.redirect_http_port))
}

/** Starts to listen as configured. Throws a StartupError, and then nothing listens. */
export async function openServer(parts: ServerParts): Promise<Listening> {
  const { host, port, tls } = parts.config
  const main = await open(createServer(parts), mainPlace(host, port), parts)
  const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${main.port}`
  if (!tls?.redirect_http) return { ...main, url }
  try {
    const place = redirectPlace(host, tls.redirect_http_port)
    const redirect = await open(createRedirectServer(parts.config, main.port), place, parts)
    const close = async () => void (await Promise.all([redirect.close(), main.close()]))
    return { url, port: main.port, close }
  } catch (error) {
    await main.close()
    throw error
  }
}

const mainPlace = (host: string, port: number): Place => ({ host, port, key: 'rest.port' })
const redirectPlace = (host: string, port: number): Place => ({
  host,
  port,
  key: 'rest.tls.redirect_http_port',
})

async function open(server: Server, place: Place, parts: ServerParts): Promise<Omit<Listening, 'url'>> {
  const connections = limit(server, parts)
  const port = await listen(server, place)
  server.on('error', (error) => parts.log.error({ err: error }, 'rest.server_failed'))
  const strikeOut = parts.listens({ address: place.host, port })
  const close = async () => {
    await connections.drain(parts.config.drain_timeout_ms)
    await strikeOut()
  }
  return { port, close }
}

function createServer({ app, config, log }: ServerParts): Server {
  const listener = listenerOf(app, log)
  // Whoever reads a body knows how long it may take; a long one comes for longer than Node would let it.
  const options = { ...transportLimits(config), requestTimeout: 0, requireHostHeader: false }
  if (config.tls === undefined) return createHttpServer(options, listener)
  const handshakeTimeout = config.headers_timeout_ms
  return createHttpsServer({ ...options, ...readCertificate(config.tls), handshakeTimeout }, listener)
}

/** Hands requests to node-server's bridge. It hands them on, or complains of what it cannot read, before it returns. */
function listenerOf(app: App, log: Logger): Answering {
  let latest: Socketed = {}
  const bridge = getRequestListener((request) => app.fetch(request, latest), {
    // Used where an HTTP/1.0 client names no host; routes do not depend on it.
    hostname: 'localhost',
    errorHandler: () => app.unreadable(latest),
    // Node throws away by itself what is left of a body.
    autoCleanupIncoming: false,
  })
  return (incoming, outgoing, arrival) => {
    const socket: Socketed = { incoming, outgoing, arrival, requestId: '' }
    latest = socket
    bridge(incoming, outgoing).catch((err: unknown) => {
      log.error({ err, requestId: socket.requestId }, 'rest.answer_failed')
      outgoing.destroy()
    })
  }
}

function limit(server: Server, { config, shared }: ServerParts): Connections {
  // A client that does not read its answer: no byte moves for longer than any answer may take to come.
  const connections = trackConnections(server, config.request_timeout_ms + config.body_timeout_ms)
  server.maxConnections = config.max_connections
  server.on('clientError', answerUnreadable(shared.cors(undefined).answer, connections, shared.log))
  // An expectation that this server does not know is passed over (RFC 9110, section 10.1.1).
  // A client that waits to be asked for its body is asked when somebody reads it, and never where the request is refused.
  server.on('checkContinue', (request, response) => server.emit('request', request, response))
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return connections
}
