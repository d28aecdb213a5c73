import type { PoolClient } from 'pg'
import type { Call } from '../compile/compiler.ts'
import { isCutOff } from './faults.ts'
import { lockAllShared, lockShared } from './named-locks.ts'
import { type Answer, type Outcome, runRound } from './round.ts'
import { plain } from './run.ts'
import type { Sessions } from './sessions.ts'

/** The writes that share a transaction at most: the first of them waits for all others. */
const MOST = 16
/** The text that they write at most, in characters: more of it takes long, in indexes above all. */
const MOST_TEXT = 32_768
/**
 * How long a shared transaction waits for a row or a lock, in milliseconds: who has to wait for longer does so alone. It is
 * far less than the server takes to look for a deadlock.
 */
const PATIENCE = plain(`select set_config('lock_timeout', '50', true)`, 'patience')

/** A write that is all of its transaction. */
export interface LoneWrite {
  readonly call: Call
  /** The lock to be held with others before. */
  readonly sharedLock: string | undefined
  /**
   * Where it stands among those that it may share a transaction with: rows are locked in this order. Undefined where it
   * shares with none.
   */
  readonly order: string | undefined
}

interface Waiting extends LoneWrite {
  /** How much it writes, in characters. */
  readonly length: number
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes that are all of their transaction. A message and a commit cost either side more than such a write does, so those
 * that wait for a connection together share both (group commit): the commit is durable before any of them is answered. What
 * one of them cannot do undoes all, and the others are carried out without it.
 */
export class Writes {
  readonly #sessions: Sessions
  #waiting: Waiting[] = []

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  run(write: LoneWrite): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const waiting = { ...write, length: lengthOf(write.call), resolve, reject }
      if (write.order === undefined) void this.#carryOut(() => [waiting])
      else if (this.#waiting.push(waiting) === 1) setImmediate(this.#leave)
    })
  }

  readonly #leave = (): void => void this.#carryOut(this.#take)

  /** Those that wait as a connection is there, which are more than those that waited as it was asked for. */
  readonly #take = (): readonly Waiting[] => {
    const taken = this.#waiting.splice(0, howMany(this.#waiting))
    if (this.#waiting.length > 0) this.#leave()
    return taken.sort(inOrder)
  }

  /** Never rejects. */
  async #carryOut(take: () => readonly Waiting[]): Promise<void> {
    let writes: readonly Waiting[] | undefined
    let isSent = false
    const attempt = async (client: PoolClient): Promise<readonly (readonly Waiting[])[]> => {
      writes ??= take()
      const outcome = await runRound(client, messageOf(writes))
      isSent ||= outcome.isSent
      return settle(writes, outcome)
    }
    try {
      const again = await this.#sessions.use(attempt, () => !isSent, false)
      for (const part of again) void this.#carryOut(() => part)
    } catch (error) {
      for (const { reject } of writes ?? take()) reject(error)
    }
  }
}

const lengthOf = ({ values }: Call): number =>
  values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 0), 0)

/** How many of those that wait go first; the first of them always does. */
function howMany(waiting: readonly Waiting[]): number {
  let text = 0
  const end = waiting.findIndex(({ length }, at) => at === MOST || ((text += length) > MOST_TEXT && at > 0))
  return end < 0 ? waiting.length : end
}

const inOrder = ({ order: a = '' }: LoneWrite, { order: b = '' }: LoneWrite): number =>
  a < b ? -1 : Number(a > b)

/** Locks come before all rows: who waits for one holds nothing that others might want. */
function messageOf(writes: readonly LoneWrite[]): readonly Call[] {
  const [first, ...more] = writes
  if (first !== undefined && more.length === 0) return [...lockShared(first.sharedLock), first.call]
  const locks = new Set(writes.map(({ sharedLock }) => sharedLock).filter((name) => name !== undefined))
  return [PATIENCE, ...lockAllShared([...locks].sort()), ...writes.map(({ call }) => call)]
}

/** Answers those that are done with, and tells which are to be carried out again, in which transactions. */
function settle(writes: readonly Waiting[], { answers, failure }: Outcome): readonly (readonly Waiting[])[] {
  const first = messageOf(writes).length - writes.length
  if (failure === undefined) {
    for (const [at, { resolve }] of writes.entries()) resolve(answers[first + at]!)
    return []
  }
  // Whether anything was done is not known.
  if (isCutOff(failure.error) || writes.length === 1) throw failure.error
  const failed = answers.length - first
  if (failed < 0) return writes.map((write) => [write])
  return [writes.slice(0, failed), writes.slice(failed, failed + 1), writes.slice(failed + 1)].filter(
    ({ length }) => length > 0,
  )
}
