import type { Runner } from '../call.ts'
import type { Step } from '../exchange.ts'
import { inputOf } from './input.ts'

/** Makes the action's input of the message and runs it. */
export function handle(runner: Pick<Runner, 'begin' | 'replyOf'>): Step {
  return async (exchange) => {
    const { action, request, caller, rawBody } = exchange
    const result = await runner.begin(action, inputOf(exchange), {
      caller,
      request,
      body: rawBody,
      requestId: request.id,
      signal: () => request.signal,
      attribute: (username) => void (exchange.attributedTo = username),
      warn: (warning) => exchange.warnings.add(warning),
    })
    exchange.reply = runner.replyOf(action, result)
  }
}
