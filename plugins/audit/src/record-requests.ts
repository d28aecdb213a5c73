import { isCleanText, type Step } from '@svc/kernel'
import type { Journal } from './journal.ts'

export interface RecorderOptions {
  readonly journal: Journal
  readonly now: () => number
  readonly newId: () => string
}

/** Opens a record of each request, unless its action notes `audit: false`, and completes it with the answer. */
export function recordRequests({ journal, now, newId }: RecorderOptions): Step {
  return (exchange) => {
    const { action, request } = exchange
    if (action.notes?.['audit'] === false) return
    const id = newId()
    const timestamp = new Date(now()).toISOString()
    exchange.onAnswer(({ status }, durationMs) =>
      journal.add({
        id,
        username: exchange.caller.username,
        action: action.name,
        transport: request.transport,
        remote_addr: storable(request.remote),
        status_code: status,
        duration_ms: Math.round(durationMs * 1000) / 1000,
        timestamp,
      }),
    )
  }
}

/** An address may come from a header: what no store keeps must not hold up the rows beside it. */
const storable = (text: string): string => (isCleanText(text) ? text : '')
