import { answerReply } from '../envelope.ts'
import { Reply } from '../reply.ts'
import type { Exchange } from '../exchange.ts'

/** The reply becomes the documented answer. */
export function respond(exchange: Exchange): void {
  exchange.answer = answerReply(exchange.reply ?? new Reply({}), exchange)
}
