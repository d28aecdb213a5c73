import type { Call } from '../compile/compiler.ts'
import { isCutOff, isTransient } from './faults.ts'
import { type Answer, runRound } from './round.ts'
import type { Sessions } from './sessions.ts'

/** The reads that go together at most: the last of them waits for all others. */
const MOST = 10

interface Read {
  readonly call: Call
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Reads that take the server next to no time. Those that are asked for in one turn of the event loop go to it together,
 * and their answers come back together: a message more costs either side more than such a read does.
 */
export class Reads {
  readonly #sessions: Sessions
  #waiting: Read[] = []

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  run(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ call, resolve, reject }) === 1) setImmediate(this.#leave)
    })
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
      const { answers, failure } = await runRound(client, calls)
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
