import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { type Answer, type AppError, errors, type Inbound, type Logger, newRequestId } from '@svc/kernel'
import { announcesBody } from './body.ts'
import type { ClientAddress } from './client-address.ts'
import type { Cors } from './cors.ts'
import { answerOf, outbound } from './outbound.ts'
import type { HeaderSet } from './security.ts'

/** The socket's side of a request; empty for a request made inside the process. */
export interface Bindings {
  readonly incoming?: IncomingMessage
  readonly outgoing?: ServerResponse
}

/** What is the same for all visits. */
export interface House {
  readonly log: Logger
  readonly cors: Cors
  readonly clientAddress: ClientAddress
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** One request and the way its answer leaves, whatever the answer will be. */
export class Visit {
  readonly request: Request
  readonly incoming: IncomingMessage | undefined
  /** A piece of metadata by its lower-case name. */
  readonly meta: Inbound['meta']
  /** The client's own name for the request where it is fit for logs and headers, otherwise a new one. */
  readonly requestId: string
  readonly #outgoing: ServerResponse | undefined
  readonly #house: House

  constructor(request: Request, { incoming, outgoing }: Bindings, house: House) {
    this.request = request
    this.incoming = incoming
    this.#outgoing = outgoing
    this.#house = house
    this.meta = incoming === undefined ? (name) => request.headers.get(name) ?? undefined : metaOf(incoming)
    const given = this.meta('x-request-id')
    this.requestId = given !== undefined && REQUEST_ID.test(given) ? given : newRequestId()
  }

  /** The client's address. */
  get remote(): string {
    if (this.incoming === undefined) return '127.0.0.1'
    return this.#house.clientAddress(this.incoming.socket.remoteAddress, this.meta('x-forwarded-for'))
  }

  /** The body's bytes; undefined where the request has no body. */
  body(): Readable | undefined {
    if (this.incoming !== undefined) return announcesBody(this.meta) ? this.incoming : undefined
    return this.request.body === null ? undefined : Readable.fromWeb(this.request.body)
  }

  /** Calls `listener` once the client has gone without its answer. */
  onGone(listener: () => void): void {
    const outgoing = this.#outgoing
    if (outgoing === undefined) return this.request.signal.addEventListener('abort', listener, { once: true })
    if (outgoing.destroyed) listener()
    else outgoing.once('close', () => outgoing.writableFinished || listener())
  }

  /** The response that carries `answer`. */
  answer(answer: Answer): Response {
    return this.#send(answer, this.#house.cors(this.meta('origin')).answer)
  }

  refuse(error: AppError): Response {
    return this.answer(answerOf(error))
  }

  /** What any address answers to OPTIONS. */
  preflight(): Response {
    const { preflight } = this.#house.cors(this.meta('origin'))
    return this.#send({ status: 204, headers: {}, type: undefined, body: undefined }, preflight)
  }

  /** The answer where the transport itself failed: it is logged, and says nothing. */
  fail(error: unknown): Response {
    this.#house.log.error({ err: error, requestId: this.requestId }, 'rest.request_failed')
    const message = `Something went wrong inside the server; the log has it under request id ${this.requestId}`
    return this.refuse(errors.INTERNAL_ERROR({ message }))
  }

  #send(answer: Answer, standing: HeaderSet): Response {
    return outbound(answer, {
      requestId: this.requestId,
      standing,
      headOnly: this.request.method === 'HEAD',
      onBroken: (error) => this.#cut(error),
    })
  }

  /** A body that broke off must not look complete. */
  #cut(error: unknown): void {
    this.#house.log.error({ err: error, requestId: this.requestId }, 'rest.stream_failed')
    this.#outgoing?.destroy()
  }
}

function metaOf({ headers }: IncomingMessage): Inbound['meta'] {
  return (name) => {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  }
}
