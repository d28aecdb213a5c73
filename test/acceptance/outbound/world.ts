import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createKernel, systemEnvironment } from '@svc/kernel'
import { outbound } from '@svc/outbound'
import {
  type Outbound,
  OutboundCapability,
  OutboundError,
  type OutboundRequest,
} from '@svc/outbound/contract'
import { onTestFinished } from 'vitest'

/** What a server of a test was sent. */
export interface Visit {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server on this machine that remembers what it was sent. */
export interface Sink {
  readonly port: number
  readonly visits: readonly Visit[]
  /** How many connections were opened to it. */
  connections(): number
}

/** Starts a server on `127.0.0.1`; it answers 200 unless `answer` does otherwise. */
export async function startSink(
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    void response.end('ok'),
): Promise<Sink> {
  const visits: Visit[] = []
  let connections = 0
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      visits.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(request, response)
    })
  }
  const server = createServer(listener).on('connection', () => void connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, visits, connections: () => connections }
}

/** The addresses of names, by which a test may lead a name elsewhere at any time. */
export type Names = Map<string, readonly string[] | (() => Promise<readonly string[]>)>

/** A kernel with the client alone, in a world of its own names. */
export async function startOutbound(
  allowed: readonly string[] = [],
  names: Names = new Map(),
): Promise<Outbound & { stop(): Promise<void> }> {
  const lookUp = async (name: string) => {
    const found = names.get(name)
    if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return typeof found === 'function' ? found() : found
  }
  const kernel = createKernel({
    plugins: [outbound],
    config: { outbound: { allow_private: allowed } },
    env: { ...systemEnvironment, lookUp },
  })
  await kernel.start()
  onTestFinished(() => kernel.stop())
  return { ...kernel.get(OutboundCapability), stop: () => kernel.stop() }
}

/** A GET with bounds that no test meets by accident. */
export const get = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  timeoutMs: 5_000,
  maxBodyBytes: 100_000,
  ...more,
})

/** The kind of failure that a request ends in; `answered` where it does not. */
export const failureOf = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'answered',
    (error: unknown) => (error instanceof OutboundError ? error.code : `thrown: ${String(error)}`),
  )
