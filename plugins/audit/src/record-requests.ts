import type { Step } from '@svc/kernel'
import type { Journal } from './journal.ts'

export interface RecorderOptions {
  readonly journal: Pick<Journal, 'add'>
  readonly now: () => number
}

/** Opens a record of each request, unless its action notes `audit: false`, and completes it with the answer. */
export function recordRequests({ journal, now }: RecorderOptions): Step {
  return (exchange) => {
    if (exchange.action.notes?.['audit'] === false) return
    const cameAt = now()
    exchange.onAnswer(({ status }, durationMs) => {
      const { action, attributedTo, caller, request } = exchange
      journal.add({
        username: attributedTo ?? caller.username,
        action: action.name,
        transport: request.transport,
        remote: request.remote,
        status,
        cameAt,
        durationMs,
      })
    })
  }
}
