import type { Readable } from 'node:stream'
import { type Answer, errors, type Inbound } from '@svc/kernel'
import { readJson } from './body.ts'
import type { RestConfig } from './config.ts'
import { Deadline, type Deadlines } from './deadline.ts'
import { answerOf, discard } from './outbound.ts'
import { parseQuery } from './query.ts'
import type { Visit } from './visit.ts'

/** What every request is read by. */
export interface Reading {
  readonly config: RestConfig
  readonly deadlines: Deadlines
}

/**
 * What the kernel's steps may want of a request; what few of them want is made when asked for. A request that takes
 * too long is answered with 503; the client's own time for the body does not count.
 */
export class HttpInbound extends Deadline implements Inbound {
  readonly id: string
  readonly transport = 'rest'
  readonly remote: string
  readonly params: Readonly<Record<string, string>>
  readonly meta: Inbound['meta']
  readonly read?: () => Promise<unknown>
  readonly #visit: Visit
  readonly #reading: Reading
  #query: Readonly<Record<string, string>> | undefined = undefined
  #controller: AbortController | undefined = undefined
  #isAbandoned = false

  constructor(visit: Visit, params: Readonly<Record<string, string>>, reading: Reading) {
    super()
    this.id = visit.requestId
    this.remote = visit.remote
    this.params = params
    this.meta = visit.message.meta
    this.#visit = visit
    this.#reading = reading
    const body = visit.message.body()
    if (body !== undefined) this.read = () => this.#readInTime(body)
    reading.deadlines.start(this)
  }

  /** Throws INVALID_QUERY, and is therefore first asked for inside the pipeline. */
  get query(): Readonly<Record<string, string>> {
    return (this.#query ??= parseQuery(this.#visit.message.target))
  }

  get signal(): AbortSignal {
    return (this.#controller ??= this.#listen()).signal
  }

  /** Sends the answer, unless it comes too late. */
  answer(answer: Answer): void {
    this.#reading.deadlines.stop(this)
    if (this.#isAbandoned) discard(answer.body)
    else this.#visit.answer(answer)
  }

  /** Answers that time is over, and tells whoever still works on it. */
  expire(): void {
    this.#isAbandoned = true
    this.#controller?.abort()
    const message = `No answer in ${this.#reading.config.request_timeout_ms} ms: try again`
    this.#visit.answer(answerOf(errors.UNAVAILABLE({ message })))
  }

  async #readInTime(body: Readable): Promise<unknown> {
    const { config, deadlines } = this.#reading
    const { message } = this.#visit
    deadlines.stop(this)
    try {
      if (message.method === 'GET' || message.method === 'HEAD')
        throw errors.BAD_REQUEST({ message: `A ${message.method} request has no body; this one has` })
      return await readJson(body, message.meta, {
        bytes: config.body_limit_bytes,
        milliseconds: config.body_timeout_ms,
      })
    } catch (error) {
      message.linger()
      throw error
    } finally {
      deadlines.start(this)
    }
  }

  #listen(): AbortController {
    const controller = new AbortController()
    if (this.#isAbandoned) controller.abort()
    else this.#visit.message.onGone(() => controller.abort())
    return controller
  }
}
