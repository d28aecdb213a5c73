import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { errors, type Inbound } from '@svc/kernel'
import { announcesBody } from './body.ts'
import { lingerOnClose } from './linger.ts'
import type { Message, Outgoing } from './message.ts'

/** A request that came over a socket. */
export class WireMessage implements Message {
  readonly method: string
  readonly meta: Inbound['meta']
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  #target: string | undefined = undefined

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.method = incoming.method ?? 'GET'
    const { headers } = incoming
    this.meta = (name) => {
      const value = headers[name]
      return typeof value === 'string' ? value : undefined
    }
  }

  get target(): string {
    return (this.#target ??= this.#readTarget())
  }

  #readTarget(): string {
    const { host } = this.#incoming.headers
    if (host !== undefined && host !== latestHost) latestHost = checkedHost(host)
    const target = this.#incoming.url ?? ''
    return PLAIN_TARGET.test(target) && !target.includes('/.') ? target : normalized(target)
  }

  get peer(): string | undefined {
    return this.#incoming.socket.remoteAddress
  }

  body(): Readable | undefined {
    return announcesBody(this.meta) ? this.#incoming : undefined
  }

  onGone(listener: () => void): void {
    const outgoing = this.#outgoing
    if (outgoing.destroyed) listener()
    else outgoing.once('close', () => outgoing.writableFinished || listener())
  }

  linger(): void {
    lingerOnClose(this.#incoming.socket)
  }
}

/** Sends a response over the socket. Throws, and sends nothing, where HTTP has no room for its headers. */
export function sendOverWire({ status, headers, body, onBroken }: Outgoing, outgoing: ServerResponse): void {
  outgoing.writeHead(status, headers as string[])
  if (body instanceof ReadableStream) pour(body, outgoing, onBroken)
  else outgoing.end(body)
}

/** A body that broke off must not look complete: its connection is cut. Whoever leaves early ends the source too. */
function pour(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  onBroken: Outgoing['onBroken'],
): void {
  pipeline(Readable.fromWeb(body), outgoing, (error) => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') onBroken?.(error)
  })
}

/** Hosts and targets that no parser would change. */
const PLAIN_HOST = /^[\w.-]+(?::\d{1,5})?$/
const PLAIN_TARGET = /^\/(?:[\w.~!$&-,:;=?@[\]-][\w.~!$&-/:;=?@[\]-]*)?$/

const malformed = () => errors.BAD_REQUEST({ message: 'The address or the Host header is malformed' })

/** Clients say the same host again and again. */
let latestHost: string | undefined

/** A Host header that names a host, and a port at most (RFC 9110, section 7.2). */
function checkedHost(host: string): string {
  const isHost = PLAIN_HOST.test(host) || (!/[\s/\\?#@]/.test(host) && URL.canParse(`http://${host}/`))
  if (!isHost) throw malformed()
  return host
}

/** A target in its origin form; also one that names its host, as proxies are sent them (RFC 9112, section 3.2.2). */
function normalized(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1)
  const absolute = target.startsWith('/') ? `http://localhost${target}` : target
  if (path.includes('\\') || !/^https?:\/\//i.test(absolute) || !URL.canParse(absolute)) throw malformed()
  const { pathname, search } = new URL(absolute)
  return `${pathname}${search}`
}
