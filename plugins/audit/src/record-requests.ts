import { type Exchange, isCleanText, isoTime, type Step } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import type { Entry, Journal } from './journal.ts'
import { NO_ADDRESS } from './table.ts'

export interface RecorderOptions {
  readonly journal: Journal
  readonly now: () => number
  readonly newId: () => string
}

/** Opens a record of each request, unless its action notes `audit: false`, and completes it with the answer. */
export function recordRequests({ journal, now, newId }: RecorderOptions): Step {
  return (exchange) => {
    if (exchange.action.notes?.['audit'] === false) return
    const cameAt = now()
    exchange.onAnswer(({ status }, durationMs) =>
      journal.add(new AnsweredRequest(exchange, { cameAt, status, durationMs, newId })),
    )
  }
}

interface Facts extends Pick<RecorderOptions, 'newId'> {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly cameAt: number
  readonly status: number
  readonly durationMs: number
}

/** Keeps of an exchange what is put on record, and no more of it. */
class AnsweredRequest implements Entry {
  readonly #username: string | null
  readonly #action: string
  readonly #transport: string
  readonly #remote: string
  readonly #facts: Facts
  #row: Row | undefined = undefined

  constructor({ action, attributedTo, caller, request }: Exchange, facts: Facts) {
    this.#username = attributedTo ?? caller.username
    this.#action = action.name
    this.#transport = request.transport
    this.#remote = request.remote
    this.#facts = facts
  }

  get row(): Row {
    return (this.#row ??= this.#tell(this.#facts))
  }

  #tell({ cameAt, durationMs, newId, status }: Facts): Row {
    return {
      id: newId(),
      username: this.#username,
      action: this.#action,
      transport: this.#transport,
      remote_addr: storable(this.#remote),
      status_code: status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      timestamp: isoTime(cameAt),
    }
  }
}

/** An address may come from a header: what no store keeps must not hold up the rows beside it. */
const storable = (text: string): string => (isCleanText(text) ? text : NO_ADDRESS)
