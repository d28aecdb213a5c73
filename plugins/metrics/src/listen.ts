import { type Close, type Logger, StartupError } from '@svc/kernel'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly registries: readonly Registry[]
  readonly log: Logger
}

/** An address that is taken. */
export interface Listener {
  readonly port: number
  /** Begins to answer; who has asked before gets an answer then. */
  open(): void
  /** Ends every connection and lets the address go; safe to call twice. */
  readonly close: Close
}

/** Takes the address at which the registries are served as text, at `/metrics`. Throws a StartupError. */
export async function listen({ host, port, registries, log }: ListenOptions): Promise<Listener> {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    await opened
    try {
      await answer(request, response, registries)
    } catch (error) {
      log.error({ err: error }, 'metrics.failed')
      if (!response.headersSent) refuse(response, 500, 'The metrics cannot be read; the log says why')
      else response.destroy()
    }
  }
  const server = createServer((request, response) => void serve(request, response))
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StartupError(
      'metrics',
      `cannot listen on ${host}:${port} (${reason})`,
      "Choose another 'metrics.port' or 'metrics.host'",
      cause,
    )
  }
  server.on('error', (error) => log.error({ err: error }, 'metrics.listener_failed'))
  const address = server.address()
  const place = { host, port: typeof address === 'object' && address !== null ? address.port : port }
  return {
    port: place.port,
    open() {
      open()
      log.info(place, 'metrics.listening')
    },
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(
  { url = '', method }: IncomingMessage,
  response: ServerResponse,
  registries: readonly Registry[],
): Promise<void> {
  if (url.split('?', 1)[0] !== '/metrics') return refuse(response, 404, 'The metrics are at /metrics')
  if (method !== 'GET' && method !== 'HEAD') {
    return refuse(response.setHeader('Allow', 'GET, HEAD'), 405, 'Use GET or HEAD')
  }
  const texts = await Promise.all(registries.map((registry) => registry.metrics()))
  const body = Buffer.from(texts.join('\n'))
  response
    .writeHead(200, { 'Content-Type': registries[0]?.contentType, 'Content-Length': body.length })
    .end(method === 'HEAD' ? undefined : body)
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
