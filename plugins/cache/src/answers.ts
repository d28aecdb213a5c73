import type { Answers, KeptAnswer } from '@svc/domain/contract'
import { sharedTurn } from './shared-turn.ts'

/** What answers are kept by. */
export interface AnswersOptions {
  /** Names what the database holds: no commit lies between two readings that are equal. */
  readonly state: () => Promise<string>
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number
  /** The most memory that answers take, about. */
  readonly maxBytes: number
}

interface Entry {
  /** What the database held before the answer was made, or something later. */
  readonly state: string
  /** Until when it may be given, in milliseconds since 1970. */
  readonly until: number
  readonly answer: Promise<KeptAnswer>
  bytes: number
}

/** What an entry takes besides its texts, about. */
const ENTRY_BYTES = 500
/** An answer that takes more than this part of the room is not worth the others. */
const LARGEST_PART = 1 / 8

/**
 * Keeps answers in memory. Each bears the state of the database that was read before it was made, and is given only
 * while that is still the state: a reader who comes after a commit never gets an answer from before it, whichever
 * process wrote.
 */
export function createAnswers({ state, now, maxBytes }: AnswersOptions): Answers {
  const entries = new Map<string, Entry>()
  const stateNow = sharedTurn(state)
  let total = 0

  const drop = (key: string, entry: Entry) => {
    if (entries.get(key) !== entry) return
    entries.delete(key)
    total -= entry.bytes
  }

  const measure = (key: string, entry: Entry, { text, headers, warnings }: KeptAnswer) => {
    if (entries.get(key) !== entry) return
    const more = 2 * (text.length + JSON.stringify([headers, warnings]).length)
    entry.bytes += more
    total += more
    if (entry.bytes > maxBytes * LARGEST_PART) drop(key, entry)
    for (const [oldest, other] of entries) {
      if (total <= maxBytes) break
      drop(oldest, other)
    }
  }

  const keep = (key: string, entry: Entry) => {
    entries.set(key, entry)
    total += entry.bytes
    entry.answer.then(
      (answer) => measure(key, entry, answer),
      () => drop(key, entry),
    )
  }

  return {
    async read(key, ttlMs, make) {
      const present = await stateNow()
      const known = entries.get(key)
      if (known !== undefined) {
        drop(key, known)
        if (known.state === present && now() < known.until) {
          // Put back as the youngest.
          entries.set(key, known)
          total += known.bytes
          return known.answer
        }
      }
      const bytes = ENTRY_BYTES + 2 * key.length
      const entry: Entry = { state: present, until: now() + ttlMs, answer: make(), bytes }
      keep(key, entry)
      return entry.answer
    },
  }
}
