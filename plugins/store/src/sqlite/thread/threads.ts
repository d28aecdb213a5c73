import { errors } from '@svc/kernel'
import { Turns } from '../../turns.ts'
import type { ConnectionOptions } from '../connection.ts'
import type { Answered, Question } from './protocol.ts'
import { Thread } from './thread.ts'

/** Threads at most: each more takes a processor from the requests. */
const MOST = 2
/** A thread that was asked nothing for so long ends, in milliseconds: it takes some ten MB. */
const IDLE_MS = 30_000

interface Resting {
  readonly thread: Thread
  readonly timer: NodeJS.Timeout
}

/** Reads what may take long in threads beside that of the process, which are made when they are needed. */
export class Threads {
  readonly #options: ConnectionOptions
  readonly #turns: Turns
  readonly #busy = new Set<Thread>()
  #resting: Resting[] = []
  #isClosed = false

  /** `patience`: how long a question waits for a thread, in milliseconds. */
  constructor(options: ConnectionOptions, patience: number) {
    this.#options = { ...options, readonly: true, isFrugal: true, sortsInFile: true }
    this.#turns = new Turns(MOST, patience, 'Too many long readings are under way: try again')
  }

  /** Reads the rows of a statement; it sees all that was committed when it begins. Rejects as SQLite does. */
  ask(question: Question): Promise<Answered> {
    return this.#turns.take(async () => {
      if (this.#isClosed) throw errors.UNAVAILABLE({ message: 'The database is closed' })
      const thread = this.#thread()
      this.#busy.add(thread)
      try {
        return await thread.ask(question)
      } finally {
        this.#busy.delete(thread)
        this.#rest(thread)
      }
    })
  }

  /** Ends all threads, each when the statement that it runs has ended: SQLite is not interrupted. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#busy, ...this.#resting.map(({ thread }) => thread)]
    for (const { timer } of this.#resting) clearTimeout(timer)
    this.#resting = []
    await Promise.all(all.map((thread) => thread.end()))
  }

  #thread(): Thread {
    const resting = this.#resting.pop()
    if (resting === undefined) return new Thread(this.#options)
    clearTimeout(resting.timer)
    return resting.thread.hasEnded ? this.#thread() : resting.thread
  }

  #rest(thread: Thread): void {
    if (this.#isClosed || thread.hasEnded) return
    const timer = setTimeout(() => {
      this.#resting = this.#resting.filter((one) => one.thread !== thread)
      void thread.end()
    }, IDLE_MS).unref()
    this.#resting.push({ thread, timer })
  }
}
