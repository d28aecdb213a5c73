import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request as a receiver got it. */
export interface Got {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What a receiver answers: a status with headers; `hang` for nothing at all, `die` for a connection that ends. */
export type SinkAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'hang'
  | 'die'

/** A real receiver of HTTP on a free port of this machine, which keeps what it gets. */
export interface Sink {
  readonly url: string
  readonly received: readonly Got[]
  stop(): Promise<void>
}

/** Starts a receiver that answers as it is told, and when: 204 unless said. */
export async function startSink(
  answer: (got: Got) => SinkAnswer | Promise<SinkAnswer> = () => ({ status: 204 }),
): Promise<Sink> {
  const received: Got[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    const end = async () => {
      const { method = '', url: path = '', headers } = request
      const got = { method, path, headers, body: Buffer.concat(chunks).toString() }
      received.push(got)
      const said = await answer(got)
      if (said === 'die') request.socket.destroy()
      else if (said !== 'hang') response.writeHead(said.status, said.headers).end(said.body)
    }
    request.on('end', () => void end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
