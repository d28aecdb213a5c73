import type { Action } from '../action.ts'
import type { Runner } from '../call.ts'
import type { Inbound, Step } from '../pipeline.ts'

/** Makes the action's input of the message and runs it. */
export function handle(runner: Pick<Runner, 'begin' | 'replyOf'>): Step {
  return async (exchange) => {
    const { action, request, body, caller } = exchange
    const input = (action.bind ?? merged)(request, body)
    const result = await runner.begin(action, input, {
      caller,
      request,
      requestId: request.id,
      signal: () => request.signal,
      attribute: (username) => void (exchange.attributedTo = username),
      warn: (warning) => exchange.warnings.add(warning),
    })
    exchange.reply = runner.replyOf(action, result)
  }
}

/** Path parameters win over the body, and the body over the query. A body that is no object stands alone. */
const merged: NonNullable<Action['bind']> = (request: Inbound, body: unknown) => {
  if (body === undefined) return { ...request.query, ...request.params }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return { ...request.query, ...body, ...request.params }
}
