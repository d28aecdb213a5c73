import type { Runner } from '../call.ts'
import type { Step } from '../exchange.ts'
import { isPending } from '../pending.ts'
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
    if (isPending(result)) return waitFor(result, (late) => (exchange.reply = runner.replyOf(action, late)))
    exchange.reply = runner.replyOf(action, result)
    return undefined
  }
}

async function waitFor(result: PromiseLike<unknown>, take: (late: unknown) => void): Promise<void> {
  take(await result)
}
