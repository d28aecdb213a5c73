import type { PoolClient } from 'pg'
import type { Call } from '../compile/compiler.ts'
import { type Answer, runRound } from './round.ts'

interface Said {
  readonly call: Call
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** What a transaction says to the server. What it says in one go leaves in one message. */
export class Conversation {
  readonly #client: PoolClient
  #said: Said[] = []
  #answered = 0
  #isSent = false

  constructor(client: PoolClient) {
    this.#client = client
  }

  /** How many statements were answered without a fault. */
  get answered(): number {
    return this.#answered
  }

  /** Whether anything has left for the server. */
  get isSent(): boolean {
    return this.#isSent
  }

  /** Says one statement more. It fails with the one before it in the same message, as it is not carried out then. */
  say(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#said.push({ call, resolve, reject }) === 1) process.nextTick(this.#leave)
    })
  }

  readonly #leave = async (): Promise<void> => {
    const said = this.#said
    this.#said = []
    const { answers, failure, isSent } = await runRound(
      this.#client,
      said.map(({ call }) => call),
    )
    this.#isSent ||= isSent
    this.#answered += answers.length
    for (const [at, { resolve, reject }] of said.entries()) {
      const answer = answers[at]
      if (answer !== undefined) resolve(answer)
      else reject(failure?.error)
    }
  }
}
