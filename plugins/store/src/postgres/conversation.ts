import type { PoolClient } from 'pg'
import type { Call } from '../compile/compiler.ts'
import { type Answer, runRound } from './round.ts'
import type { Sessions } from './sessions.ts'

interface Said {
  readonly call: Call
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * What a transaction says to the server, over a connection that it takes when there is something to say. What it says in
 * one go leaves in one message.
 */
export class Conversation {
  readonly #sessions: Sessions
  #client: PoolClient | undefined
  #isTaking = false
  #said: Said[] = []
  /** Whether what was said is about to leave. */
  #isLeaving = false
  #answered = 0
  #isSent = false

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  /** How many statements were answered without a fault. */
  get answered(): number {
    return this.#answered
  }

  /** Whether anything has left for the server. */
  get isSent(): boolean {
    return this.#isSent
  }

  /** Whether it has had a connection. */
  get isConnected(): boolean {
    return this.#client !== undefined
  }

  /** The connection, once something was said. */
  get client(): PoolClient {
    if (this.#client === undefined) throw new Error('nothing was said yet')
    return this.#client
  }

  /** Says one statement more. It fails with the one before it in the same message, as it is not carried out then. */
  say(call: Call): Promise<Answer> {
    const answered = this.sayLater(call)
    if (!this.#isLeaving) {
      this.#isLeaving = true
      process.nextTick(this.#leave)
    }
    return answered
  }

  /** Says one more that leaves with the next: what that waits for is answered then, or fails with this one. */
  sayLater(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => void this.#said.push({ call, resolve, reject }))
  }

  /** Takes back what has not left yet. */
  forget(): void {
    for (const { reject } of this.#said.splice(0)) reject(new Error('the transaction is undone'))
  }

  /** Gives the connection back; one that is of no more use is closed. */
  end(isDead: boolean): void {
    this.#client?.release(isDead)
    this.#client = undefined
  }

  readonly #leave = (): void => {
    if (this.#client !== undefined) return void this.#exchange(this.#client)
    // What is said until the connection is there leaves with the rest.
    if (this.#isTaking) return
    this.#isTaking = true
    this.#sessions.take().then(
      (client) => {
        this.#client = client
        void this.#exchange(client)
      },
      (error: unknown) => {
        this.#isTaking = false
        this.#isLeaving = false
        for (const { reject } of this.#said.splice(0)) reject(error)
      },
    )
  }

  async #exchange(client: PoolClient): Promise<void> {
    const said = this.#said
    this.#said = []
    this.#isLeaving = false
    if (said.length === 0) return
    const { answers, failure, isSent } = await runRound(
      client,
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
