import { type Answer, AppError, errors, type Logger, newRequestId } from '@svc/kernel'
import type { ClientAddress } from './client-address.ts'
import type { Cors, Standing } from './cors.ts'
import type { HeaderSet } from './headers.ts'
import type { Message, Send } from './message.ts'
import { answerOf, outbound } from './outbound.ts'

/** What is the same for all visits. */
export interface House {
  readonly log: Logger
  readonly cors: Cors
  readonly clientAddress: ClientAddress
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** One request and the way its answer leaves, whatever the answer will be. */
export class Visit {
  readonly message: Message
  /** The client's own name for the request where it is fit for logs and headers, otherwise a new one. */
  readonly requestId: string
  readonly #send: Send
  readonly #house: House

  constructor(message: Message, send: Send, house: House) {
    this.message = message
    this.#send = send
    this.#house = house
    const given = message.meta('x-request-id')
    this.requestId = given !== undefined && REQUEST_ID.test(given) ? given : newRequestId()
  }

  /** The client's address. */
  get remote(): string {
    return this.#house.clientAddress(this.message.peer, this.message.meta('x-forwarded-for'))
  }

  /** Sends an answer. Throws, and sends nothing, where HTTP has no room for it. */
  answer(answer: Answer): void {
    this.#dress(answer, this.#standing.answer)
  }

  /** Sends what any address answers to OPTIONS. */
  preflight(): void {
    this.#dress({ status: 204, headers: {}, type: undefined, body: undefined }, this.#standing.preflight)
  }

  /** Answers a request that failed on its way; what is no AppError is logged, and says nothing. */
  refuse(error: unknown): void {
    if (error instanceof AppError) return this.answer(answerOf(error))
    this.#house.log.error({ err: error, requestId: this.requestId }, 'rest.request_failed')
    const message = `Something went wrong inside the server; the log has it under request id ${this.requestId}`
    this.answer(answerOf(errors.INTERNAL_ERROR({ message })))
  }

  get #standing(): Standing {
    return this.#house.cors(this.message.meta('origin'))
  }

  #dress(answer: Answer, standing: HeaderSet): void {
    const headOnly = this.message.method === 'HEAD'
    const response = outbound(answer, { requestId: this.requestId, standing, headOnly })
    if (!(response.body instanceof ReadableStream)) return this.#send(response)
    const { log } = this.#house
    const onBroken = (error: unknown) =>
      log.error({ err: error, requestId: this.requestId }, 'rest.stream_failed')
    this.#send({ ...response, onBroken })
  }
}
