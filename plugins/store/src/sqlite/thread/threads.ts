import { errors } from '@svc/kernel'
import { Turns } from '../../turns.ts'
import type { ConnectionOptions } from '../connection.ts'
import { patiently } from '../patience.ts'
import { assertFits } from '../../part.ts'
import type { RawRows } from '../../rows.ts'
import type { Read } from '../stream.ts'
import { END, MORE, type Question } from './protocol.ts'
import { Thread } from './thread.ts'

/** Threads at most for single questions: each more takes a processor from the requests. */
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
    this.#options = options
    this.#turns = new Turns(MOST, patience, 'Too many long readings are under way: try again')
  }

  /**
   * Reads the rows of a statement; it sees all that was committed when it begins. They come in parts, since it takes time to
   * receive them. Rejects as the store does, and with INVALID_QUERY where they are more than one answer has.
   */
  ask(question: Question): Promise<Pick<Read, 'rows' | 'took'>> {
    return this.#turns.take(async () => {
      const rows: RawRows = []
      let took = 0
      let length = 0
      for await (const part of this.parts(question)) {
        assertFits((length += part.length))
        for (const row of part.rows) rows.push(row)
        took += part.took
      }
      return { rows, took }
    })
  }

  /**
   * Reads the rows of a statement in parts, all of one state of the database, in a thread of its own until it is left: how
   * many there are at once is for the caller to bound. Throws as the store does.
   */
  async *parts(question: Question): AsyncGenerator<Read> {
    const thread = this.#lend()
    let isOpen = true
    try {
      // The first ones alone are asked for again where somebody is in the way: a statement that breaks off later has no more to tell.
      let part = await patiently(() => thread.ask(question))
      for (; !part.isLast; part = await thread.ask(MORE)) yield part
      isOpen = false
      yield part
    } finally {
      if (isOpen) await thread.ask(END).catch(() => undefined)
      this.#giveBack(thread)
    }
  }

  /** Ends all threads, each when the statement that it runs has ended: SQLite is not interrupted. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#busy, ...this.#resting.map(({ thread }) => thread)]
    for (const { timer } of this.#resting) clearTimeout(timer)
    this.#resting = []
    await Promise.all(all.map((thread) => thread.end()))
  }

  #lend(): Thread {
    if (this.#isClosed) throw errors.UNAVAILABLE({ message: 'The database is closed' })
    const thread = this.#rested() ?? new Thread(this.#options)
    this.#busy.add(thread)
    return thread
  }

  #rested(): Thread | undefined {
    for (let resting = this.#resting.pop(); resting !== undefined; resting = this.#resting.pop()) {
      clearTimeout(resting.timer)
      if (!resting.thread.hasEnded) return resting.thread
    }
    return undefined
  }

  #giveBack(thread: Thread): void {
    this.#busy.delete(thread)
    if (this.#isClosed || thread.hasEnded) return
    const timer = setTimeout(() => {
      this.#resting = this.#resting.filter((one) => one.thread !== thread)
      void thread.end()
    }, IDLE_MS).unref()
    this.#resting.push({ thread, timer })
  }
}
