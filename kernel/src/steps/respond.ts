import { answerError, answerReply, type ErrorReporting } from '../envelope.ts'
import type { Step } from '../exchange.ts'
import { Reply } from '../reply.ts'

/** The reply, or the refusal, becomes the documented answer. */
export function respond(reporting: ErrorReporting): Step {
  return (exchange) => {
    const { reply, refusal } = exchange
    exchange.answer =
      refusal === undefined
        ? answerReply(reply ?? new Reply({}), exchange)
        : answerError(refusal, exchange, reporting)
  }
}
