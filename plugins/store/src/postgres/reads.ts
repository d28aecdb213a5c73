import type { Call, Statement } from '../compile/compiler.ts'
import { isCutOff, isTransient } from './faults.ts'
import { type Answer, runRound } from './round.ts'
import { run } from './run.ts'
import type { Sessions } from './sessions.ts'

/** The reads that go together at most: the last of them waits for all others. */
const MOST = 10
/** A statement is quick whose answer was there within so many milliseconds, so many times in a row. */
const QUICK_MS = 5
const TIMES = 8

interface Read {
  readonly call: Call
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Reads outside of transactions. Those that take the server next to no time and are asked for in one turn of the event loop go to
 * it together, and their answers come back together: a message more costs either side more than such a read does. That is what reads
 * by key are, and every statement that has been quick all the last times; one that was not goes alone until it is again.
 */
export class Reads {
  readonly #sessions: Sessions
  /** How many times in a row a statement was quick. */
  readonly #quick = new WeakMap<Statement, number>()
  #waiting: Read[] = []

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  run(call: Call): Promise<Answer> {
    const { statement } = call
    if (!statement.isByKey && (this.#quick.get(statement) ?? 0) < TIMES) return this.#runAlone(call)
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ call, resolve, reject }) === 1) setImmediate(this.#leave)
    })
  }

  #runAlone(call: Call): Promise<Answer> {
    return this.#sessions.use(
      async (client) => {
        const from = performance.now()
        const answer = await run(client, call)
        this.#note(call, performance.now() - from)
        return answer
      },
      () => true,
    )
  }

  #note({ statement }: Call, ms: number): void {
    if (!statement.isByKey)
      this.#quick.set(statement, ms > QUICK_MS ? 0 : (this.#quick.get(statement) ?? 0) + 1)
  }

  readonly #leave = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    for (let at = 0; at < waiting.length; at += MOST) void this.#runAll(waiting.slice(at, at + MOST))
  }

  async #runAll(reads: Read[]): Promise<void> {
    try {
      let most = MOST
      while (reads.length > 0) most = await this.#runSome(reads, most)
    } catch (error) {
      for (const { reject } of reads) reject(error)
    }
  }

  /** Runs reads up to the first that fails, takes those off that have an answer, and tells how many may go together next. */
  #runSome(reads: Read[], most: number): Promise<number> {
    const attempt = async (client: Parameters<typeof runRound>[0]): Promise<number> => {
      const calls = reads.slice(0, most).map(({ call }) => call)
      const from = performance.now()
      const { answers, failure } = await runRound(client, calls)
      const each = (performance.now() - from) / calls.length
      for (const call of calls) this.#note(call, each)
      for (const [at, { resolve }] of reads.splice(0, answers.length).entries()) resolve(answers[at]!)
      if (failure === undefined) return most
      // All that is left goes over another connection.
      if (isCutOff(failure.error)) throw failure.error
      // A message holds the tables of all its reads until it ends, which may cross a change of the schema; one read does not.
      if (calls.length > 1 && isTransient(failure.error)) return 1
      reads.shift()?.reject(failure.error)
      return most
    }
    return this.#sessions.use(attempt, () => true)
  }
}
