import type { Call } from '../compile/compiler.ts'
import { isCutOff } from './faults.ts'
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
      while (reads.length > 0) await this.#runSome(reads)
    } catch (error) {
      for (const { reject } of reads) reject(error)
    }
  }

  /** Runs reads up to the first that fails, and takes those off that have an answer. */
  #runSome(reads: Read[]): Promise<void> {
    const attempt = async (client: Parameters<typeof runRound>[0]): Promise<void> => {
      const { answers, failure } = await runRound(
        client,
        reads.map(({ call }) => call),
      )
      for (const [at, { resolve }] of reads.splice(0, answers.length).entries()) resolve(answers[at]!)
      if (failure === undefined) return
      // All that is left goes over another connection.
      if (isCutOff(failure.error)) throw failure.error
      reads.shift()?.reject(failure.error)
    }
    return this.#sessions.use(attempt, () => true)
  }
}
