import { Worker } from 'node:worker_threads'
import { errors } from '@svc/kernel'
import type { ConnectionOptions } from '../connection.ts'
import type { Read } from '../stream.ts'
import type { Answer, Message } from './protocol.ts'

/** The compiled worker: a thread runs JavaScript alone, wherever this file is run from. */
const WORKER = new URL('../../../dist/sqlite/thread/worker.js', import.meta.url)

interface Asked {
  resolve(read: Read): void
  reject(error: unknown): void
}

/** A thread with a connection of its own, which answers one message at a time. */
export class Thread {
  readonly #worker: Worker
  #asked: Asked | undefined
  #hasEnded = false

  constructor(options: ConnectionOptions) {
    // Its settings are all in what it is handed.
    this.#worker = new Worker(WORKER, {
      env: {},
      argv: [],
      execArgv: [],
      workerData: options,
      name: 'sqlite',
    })
    this.#worker.on('message', (answer: Answer) => this.#settle((asked) => told(answer, asked)))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread has ended')))
    // It keeps no process from ending, unless it is asked something.
    this.#worker.unref()
  }

  /** Whether it can be asked no more. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Reads the first rows of a statement, or its next ones. Rejects as SQLite does, and with UNAVAILABLE once the thread has ended. */
  ask(message: Message): Promise<Read> {
    if (this.#hasEnded) return Promise.reject(gone(undefined))
    return new Promise((resolve, reject) => {
      this.#asked = { resolve, reject }
      this.#worker.ref()
      this.#worker.postMessage(message)
    })
  }

  /** Ends the thread; a question that is open is answered by UNAVAILABLE. */
  async end(): Promise<void> {
    this.#end(undefined)
    await this.#worker.terminate()
  }

  #end(cause: unknown): void {
    this.#hasEnded = true
    this.#settle(({ reject }) => reject(gone(cause)))
  }

  #settle(tell: (asked: Asked) => void): void {
    const asked = this.#asked
    this.#asked = undefined
    this.#worker.unref()
    if (asked !== undefined) tell(asked)
  }
}

const gone = (cause: unknown) =>
  errors.UNAVAILABLE({
    message: cause === undefined ? 'The database is closed' : 'The database did not answer: try again',
    cause,
  })

function told(answer: Answer, { resolve, reject }: Asked): void {
  if ('rows' in answer) return resolve(answer)
  const { message, code } = answer.failure
  reject(Object.assign(new Error(message), { code }))
}
