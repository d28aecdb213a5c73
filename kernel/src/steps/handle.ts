import type { Runner } from '../call.ts'
import { CallerChanged } from '../caller.ts'
import type { AppError } from '../errors.ts'
import type { Exchange, Step } from '../exchange.ts'
import { isPending } from '../pending.ts'
import { Reply } from '../reply.ts'
import { inputOf } from './input.ts'

/** Makes the action's input of the message and runs it. */
export function handle(runner: Pick<Runner, 'begin' | 'replyOf'>): Step {
  return (exchange) => {
    const { action, request, caller, rawBody } = exchange
    const result = runner.begin(action, inputOf(exchange), {
      caller,
      request,
      body: rawBody,
      requestId: request.id,
      signal: () => request.signal,
      attribute: (username) => void (exchange.attributedTo = username),
      warn: (warning) => exchange.warnings.add(warning),
    })
    if (isPending(result)) return waitFor(result, (late) => take(exchange, runner.replyOf(action, late)))
    return take(exchange, runner.replyOf(action, result))
  }
}

/** Who has changed is met anew, which only what is thrown brings about. */
function take(exchange: Exchange, result: Reply | AppError): void {
  if (result instanceof Reply) exchange.reply = result
  else if (result instanceof CallerChanged) throw result
  else exchange.refusal = result
}

async function waitFor(result: PromiseLike<unknown>, take: (late: unknown) => void): Promise<void> {
  take(await result)
}
