import { answerError, answerReply, type ErrorReporting } from '../envelope.ts'
import type { Exchange, Step } from '../exchange.ts'
import { type Answer, Reply } from '../reply.ts'

/** The reply, or the refusal, becomes the documented answer. */
export function respond(reporting: ErrorReporting): Step {
  return (exchange) => {
    const { reply, refusal } = exchange
    if (refusal !== undefined) return take(exchange, answerError(refusal, exchange, reporting))
    const answer = answerReply(reply ?? new Reply({}), exchange)
    return answer instanceof Promise ? answer.then((late) => take(exchange, late)) : take(exchange, answer)
  }
}

function take(exchange: Exchange, answer: Answer): void {
  exchange.answer = answer
}
