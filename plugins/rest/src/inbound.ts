import { Readable } from 'node:stream'
import { type Answer, type Caller, errors, type Inbound, type RawBody, type SentBody } from '@svc/kernel'
import type { Context } from 'hono'
import { announcesBody, readJson } from './body.ts'
import type { RestConfig } from './config.ts'
import { Deadline, type Deadlines } from './deadline.ts'
import { answerOf, discard } from './outbound.ts'
import { parseQuery } from './query.ts'
import { assertTaken, chunksOf } from './raw-body.ts'
import type { Visit } from './visit.ts'

/** What every request is read by. */
export interface Reading {
  readonly config: RestConfig
  readonly deadlines: Deadlines
  /** Those of bodies that are read at once. */
  readonly bodyDeadlines: Deadlines
}

/** By which a POST that is repeated is done once. */
const KEY = 'idempotency-key'

/** Hono's context of a visit. */
export type VisitContext = Context<{ Bindings: Visit }>

/**
 * What the kernel's steps may want of a request; what few of them want is made when asked for. A request that takes
 * too long is answered with 503; the client's own time for the body does not count.
 */
export class HttpInbound extends Deadline implements Inbound {
  readonly id: string
  readonly transport = 'rest'
  readonly remote: string
  readonly arrival: Inbound['arrival']
  readonly params: Readonly<Record<string, string>>
  readonly meta: Inbound['meta']
  readonly read?: () => Promise<unknown>
  readonly #context: VisitContext
  readonly #reading: Reading
  #respond: ((response: Response) => void) | undefined = undefined
  #query: Readonly<Record<string, string>> | undefined = undefined
  #controller: AbortController | undefined = undefined
  #isAbandoned = false
  #isAnswered = false
  /** Whether the time that passes is the client's. */
  #isClients = false
  /** Whether somebody has looked at the key of a POST, by which it is done once. */
  #heedsKey = false

  constructor(context: VisitContext, reading: Reading) {
    super()
    const { env: visit, req } = context
    this.id = visit.requestId
    this.remote = visit.remote
    this.arrival = visit.arrival
    this.params = req.param()
    visit.isDirect = isUntouched(context)
    const header: Inbound['meta'] = visit.isDirect
      ? (name) => visit.header(name)
      : (name) => req.raw.headers.get(name) ?? undefined
    this.meta = visit.headOnly ? ofWhole(header) : visit.method === 'POST' ? this.#noting(header) : header
    this.#context = context
    this.#reading = reading
    if (announcesBody(this.meta) || (visit.incoming === undefined && req.raw.body !== null))
      this.read = () => this.#readInTime()
  }

  /** Throws INVALID_QUERY, and is therefore first asked for inside the pipeline. */
  get query(): Readonly<Record<string, string>> {
    return (this.#query ??= parseQuery(this.#context.req.url))
  }

  metas(): Readonly<Record<string, string>> {
    return this.#context.req.header()
  }

  get signal(): AbortSignal {
    return (this.#controller ??= this.#listen()).signal
  }

  identified({ username }: Caller): void {
    if (username !== null) this.#context.env.username = username
  }

  open(accepted: RawBody): SentBody | undefined {
    if (this.read === undefined) return undefined
    this.#assertMayHaveBody()
    assertTaken(this.meta, accepted)
    return { type: this.meta('content-type'), bytes: this.#chunks() }
  }

  /** The response that carries an answer. */
  answer(answer: Answer): Response {
    this.#stopClock()
    this.#isAnswered = true
    const { env: visit } = this.#context
    try {
      return visit.answer(answer)
    } catch (error) {
      discard(answer.body)
      return visit.refuse(error)
    }
  }

  /** The response of an answer that is still to come, or, once that took too long, one that says so. */
  await(pending: Promise<Answer>): Promise<Response> {
    if (!this.#isClients) this.#startClock()
    return new Promise((resolve) => {
      this.#respond = resolve
      void pending.then((answer) => {
        if (this.#isAbandoned) discard(answer.body)
        else resolve(this.answer(answer))
      })
    })
  }

  /** Answers that time is over, and tells whoever still works on it. */
  expire(): void {
    this.#isAbandoned = true
    this.#isAnswered = true
    this.#controller?.abort()
    const message = `No answer in ${this.#reading.config.request_timeout_ms} ms: ${this.#advice()}`
    this.#respond?.(this.#context.env.answer(answerOf(errors.UNAVAILABLE({ message }))))
  }

  /** What a client may do that has waited in vain: what only reads can be asked for again, what writes may still come to its end. */
  #advice(): string {
    const { method } = this.#context.req
    if (method === 'GET' || method === 'HEAD') return 'try again'
    if (!this.#heedsKey) return 'it may still be carried out. Look whether it was before you repeat it'
    return this.meta(KEY) === undefined
      ? "it may still be carried out. Look whether it was before you repeat it; a POST with an 'Idempotency-Key' can be repeated with the same key"
      : "it may still be carried out. Repeat it with the same 'Idempotency-Key', or look whether it was"
  }

  #noting(header: Inbound['meta']): Inbound['meta'] {
    return (name) => {
      if (name === KEY) this.#heedsKey = true
      return header(name)
    }
  }

  async #readInTime(): Promise<unknown> {
    const { config, bodyDeadlines: deadlines } = this.#reading
    const { env: visit } = this.#context
    this.#stopClock()
    try {
      this.#assertMayHaveBody()
      visit.proceed()
      const source = bodyOf(this.#context)
      const bytes = source instanceof Readable ? source : await source
      return await readJson(bytes, this.meta, { bytes: config.body_limit_bytes, deadlines })
    } catch (error) {
      visit.linger()
      throw error
    } finally {
      this.#startClock()
    }
  }

  /** The client's time for each chunk does not count; the time that the action takes over it does. */
  async *#chunks(): AsyncGenerator<Uint8Array, void> {
    this.#stopClock()
    try {
      const { env: visit } = this.#context
      const source = await bodyOf(this.#context)
      visit.unboundBody()
      visit.proceed()
      for await (const chunk of chunksOf(source, this.#reading.config.body_timeout_ms)) {
        this.#startClock()
        yield chunk
        this.#stopClock()
      }
    } finally {
      this.#startClock()
    }
  }

  #assertMayHaveBody(): void {
    const { method } = this.#context.req
    if (method === 'GET' || method === 'HEAD')
      throw errors.BAD_REQUEST({ message: `A ${method} request has no body; this one has` })
  }

  #startClock(): void {
    this.#isClients = false
    if (!this.#isAnswered) this.#reading.deadlines.start(this)
  }

  #stopClock(): void {
    this.#isClients = true
    this.#reading.deadlines.stop(this)
  }

  #listen(): AbortController {
    const controller = new AbortController()
    const { signal } = this.#context.req.raw
    if (this.#isAbandoned || signal.aborted) controller.abort()
    else signal.addEventListener('abort', () => controller.abort(), { once: true })
    return controller
  }
}

/** A part is asked for by GET alone (RFC 9110, section 14.2). */
const ofWhole =
  (header: Inbound['meta']): Inbound['meta'] =>
  (name) =>
    name === 'range' ? undefined : header(name)

/** Whether the request is as it came over a socket: nothing of a plugin's stood before the action. */
const isUntouched = ({ env, req }: VisitContext): boolean =>
  env.incoming !== undefined && req.routeIndex === 0

/** The bytes of a body, which something of a plugin's may have read before. */
function bodyOf(context: VisitContext): Readable | Promise<Readable> {
  const { env, req } = context
  if (env.incoming !== undefined && isUntouched(context)) return env.incoming
  if (Object.keys(req.bodyCache).length > 0)
    return req.arrayBuffer().then((bytes) => Readable.from([Buffer.from(bytes)]))
  return req.raw.body === null ? Readable.from([]) : Readable.fromWeb(req.raw.body)
}
