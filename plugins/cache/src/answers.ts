import type { Answers, KeptAnswer } from '@svc/domain/contract'
import { LRUCache } from 'lru-cache'
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
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes, maxEntrySize: maxBytes * LARGEST_PART })
  const stateNow = sharedTurn(state)

  const keep = (key: string, entry: Entry) => {
    const bytes = ENTRY_BYTES + 2 * key.length
    entries.set(key, entry, { size: bytes })
    const isKept = () => entries.peek(key) === entry
    entry.answer.then(
      (answer) => isKept() && entries.set(key, entry, { size: bytes + bytesOf(answer) }),
      () => isKept() && entries.delete(key),
    )
  }

  return {
    async read(key, ttlMs, make) {
      const present = await stateNow()
      const known = entries.get(key)
      if (known !== undefined && known.state === present && now() < known.until) return known.answer
      const entry: Entry = { state: present, until: now() + ttlMs, answer: make() }
      keep(key, entry)
      return entry.answer
    },
  }
}

const bytesOf = ({ text, headers, warnings }: KeptAnswer): number =>
  2 * (text.length + JSON.stringify([headers, warnings]).length)
