import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, AppError, type Arrival, errors, type Logger, newRequestId } from '@svc/kernel'
import { announcesBody } from './body.ts'
import type { ClientAddress } from './client-address.ts'
import type { HttpAnswered, HttpBindings } from './contract.ts'
import type { Cors, HeaderSet } from './cors.ts'
import { closeGently, lingerOnClose } from './linger.ts'
import { answerOf, type Envelope, outbound } from './outbound.ts'
import type { UnsentAnswers } from './unsent.ts'

/** What is the same for all visits. */
export interface SharedParts {
  readonly log: Logger
  readonly cors: Cors
  readonly clientAddress: ClientAddress
  /** A path as logs may tell it. */
  readonly toldPath: (path: string) => string
  readonly unsent: UnsentAnswers
  /** How large a body may be that nobody has read when its request is answered, for the connection to be kept; in bytes. */
  readonly passedOver: number
  /** How long a body may take that nobody reads as it comes, in milliseconds. */
  readonly bodyTimeout: number
}

/** Node's side of a request; empty for a request made inside the process. */
export interface Socketed extends Partial<Pick<HttpBindings, 'incoming' | 'outgoing'>> {
  readonly arrival?: Arrival | undefined
  /** The name of its visit, once there is one: what fails behind the visit is logged under it. */
  requestId?: string
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** One request and the way its answer leaves, whatever the answer will be. */
export class Visit implements HttpBindings, Envelope {
  readonly request: Request
  readonly incoming: IncomingMessage | undefined
  readonly outgoing: ServerResponse | undefined
  readonly arrival: Arrival | undefined
  /** The client's own name for the request where it is fit for logs and headers, otherwise a new one. */
  readonly requestId: string
  /** Who called, once that is known. */
  username: string | undefined = undefined
  /** Whether its answer goes to its connection as it is: nothing of a plugin's stands before the action. */
  isDirect = false
  readonly #shared: SharedParts
  readonly #cameAt = performance.now()
  #sent: Pick<Answer, 'body' | 'length'> = { body: undefined }
  #response: Response | undefined = undefined
  #bound: NodeJS.Timeout | undefined = undefined

  constructor(request: Request, socket: Socketed, shared: SharedParts) {
    this.request = request
    this.incoming = socket.incoming
    this.outgoing = socket.outgoing
    this.arrival = socket.arrival
    this.#shared = shared
    const given = this.header('x-request-id')
    this.requestId = given !== undefined && REQUEST_ID.test(given) ? given : newRequestId()
    socket.requestId = this.requestId
  }

  /** A header as it arrived, by its lower-case name. */
  header(name: string): string | undefined {
    if (this.incoming === undefined) return this.request.headers.get(name) ?? undefined
    const value = this.incoming.headers[name]
    return typeof value === 'string' ? value : undefined
  }

  get remote(): string {
    if (this.incoming === undefined) return '127.0.0.1'
    return this.#shared.clientAddress(this.incoming.socket.remoteAddress, this.header('x-forwarded-for'))
  }

  /** The response that carries an answer. Throws where HTTP has no room for it. */
  answer(answer: Answer): Response {
    const sent = this.#isTooMuch(answer) ? answerOf(overloaded()) : answer
    this.#sent = sent
    if (this.#isIncomplete() && !this.#passOver())
      return (this.#response = outbound(ended(sent), this.standing, this))
    if (typeof sent.body === 'string' || sent.body instanceof Uint8Array) this.countUnsent(sent.body.length)
    return (this.#response = outbound(sent, this.standing, this))
  }

  /** Whether a response is the one that carries its answer. */
  isAnswer(response: Response): boolean {
    return response === this.#response
  }

  /** Counts the answer, which is about to leave, among those that wait for their clients; of unknown size unless said. */
  countUnsent(size?: number): void {
    if (this.outgoing !== undefined) this.#shared.unsent.expect(this.outgoing, size)
  }

  /** Throws UNAVAILABLE where too many answers wait for their clients. */
  assertRoom(): void {
    if (this.outgoing !== undefined && !this.#shared.unsent.hasRoom()) throw overloaded()
  }

  /** Asks the client for the body where it waits to be asked (RFC 9110, section 10.1.1). */
  proceed(): void {
    const { incoming, outgoing } = this
    if (outgoing?.headersSent === false && EXPECTS_CONTINUE.test(incoming?.headers.expect ?? ''))
      outgoing.writeContinue()
  }

  /** Lets somebody read the body who does not say when, in the time that a body has. */
  expectBody(): void {
    if (!this.#isIncomplete()) return
    this.proceed()
    this.#boundBody()
  }

  /** Leaves it to who reads the body how long it may take. */
  unboundBody(): void {
    clearTimeout(this.#bound)
  }

  /** What any address answers to OPTIONS. */
  preflight(): Response {
    const { preflight } = this.#shared.cors(this.header('origin'))
    return outbound({ status: 204, headers: {}, type: undefined, body: undefined }, preflight, this)
  }

  /** The answer to a request that failed on its way; what nobody meant to be seen is logged, and says nothing. */
  refuse(error: unknown): Response {
    if (error instanceof AppError) {
      const { method, path, remote, requestId } = this
      this.#shared.log.info({ code: error.code, method, path, remote, requestId }, 'request.refused')
      return this.answer(answerOf(error))
    }
    this.#shared.log.error({ err: error, requestId: this.requestId }, 'rest.request_failed')
    const message = `Something went wrong inside the server; the log has it under request id ${this.requestId}`
    return this.answer(answerOf(errors.INTERNAL_ERROR({ message })))
  }

  /** What is to be told of it, once it is answered. */
  answered({ status }: Response): HttpAnswered {
    const { method, path, remote, requestId, username } = this
    const bytes = sizeOf(this.#sent)
    return {
      requestId,
      remote,
      method,
      path,
      status,
      ms: Math.round((performance.now() - this.#cameAt) * 1000) / 1000,
      ...(bytes !== undefined && { bytes }),
      ...(username !== undefined && { username }),
    }
  }

  get method(): string {
    return this.incoming?.method ?? this.request.method
  }

  /** The path as it was asked for, without the query and what is concealed of it; long ones are cut. */
  get path(): string {
    const target = this.incoming?.url ?? new URL(this.request.url).pathname
    return this.#shared.toldPath(target.replace(/[?#].*$/s, '')).slice(0, MAX_PATH)
  }

  /** The headers of every answer. */
  get standing(): HeaderSet {
    return this.#shared.cors(this.header('origin')).answer
  }

  /** Makes the connection end only after the client found time to read its answer, though it still sends. */
  linger(): void {
    if (this.incoming !== undefined) lingerOnClose(this.incoming.socket)
  }

  get headOnly(): boolean {
    return this.method === 'HEAD'
  }

  /** Whether a body is on its way. */
  #isIncomplete(): boolean {
    const { incoming } = this
    return incoming !== undefined && !incoming.complete && announcesBody((name) => this.header(name))
  }

  /** Has Node read what is left of a body and throw it away; false where that is too much, and the connection is to end. */
  #passOver(): boolean {
    const announced = this.header('content-length')
    if (announced === undefined || Number(announced) > this.#shared.passedOver) {
      this.linger()
      return false
    }
    this.#boundBody()
    return true
  }

  #boundBody(): void {
    const { incoming } = this
    if (incoming === undefined) return
    clearTimeout(this.#bound)
    this.#bound = setTimeout(() => closeGently(incoming.socket), this.#shared.bodyTimeout).unref()
    incoming.once('close', () => clearTimeout(this.#bound))
  }

  /** Many may have been asked for before the first was made; what was only read can be asked for again. */
  #isTooMuch({ body }: Answer): boolean {
    if (this.outgoing === undefined || this.method !== 'GET') return false
    const isWhole = typeof body === 'string' || body instanceof Uint8Array
    return isWhole && !this.#shared.unsent.takes(body.length)
  }

  /** A body that broke off must not look complete. */
  onBroken(error: unknown): boolean {
    this.#shared.log.error({ err: error, requestId: this.requestId }, 'rest.stream_failed')
    return this.outgoing?.destroy() !== undefined
  }
}

/** Node knows this as the expectation that it would meet by itself. */
const EXPECTS_CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

const ended = (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, connection: 'close' } })

const overloaded = () =>
  errors.UNAVAILABLE({
    message: 'Too many answers wait for clients that do not read them: try again',
    headers: { 'Retry-After': '1' },
  })

/** More than any path of ours. */
const MAX_PATH = 1000

function sizeOf({ body, length }: Pick<Answer, 'body' | 'length'>): number | undefined {
  if (body instanceof ReadableStream) return length
  return body === undefined ? 0 : Buffer.byteLength(body)
}
