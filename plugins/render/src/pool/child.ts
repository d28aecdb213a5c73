import { type ChildProcess, fork } from 'node:child_process'
import { memoryOf } from './memory.ts'
import type { Job, Report } from './protocol.ts'

/** The compiled worker: it runs JavaScript alone, wherever this file is run from. */
const WORKER = new URL('../../dist/pool/worker.js', import.meta.url)

/** Why a worker made nothing. */
export type Loss = 'time' | 'memory' | 'end'

export type Outcome = Report | { readonly loss: Loss }

export interface Bounds {
  /** Milliseconds for one file. */
  readonly deadline: number
  /** Bytes of memory that its process may have. */
  readonly memory: number
}

/** How often its memory is looked at, in milliseconds. */
const LOOK_MS = 100

/**
 * A process that makes one file at a time. It is a process and no thread: a thread cannot be ended inside of native code, and
 * its memory is the server's.
 */
export class Child {
  readonly #process: ChildProcess
  readonly #bounds: Bounds
  #settle: ((outcome: Outcome) => void) | undefined
  #loss: Loss | undefined
  #isLooking = false

  constructor(bounds: Bounds) {
    this.#bounds = bounds
    const heap = Math.floor(bounds.memory / MIB)
    this.#process = fork(WORKER, {
      // A process that is handed what it needs has no use for anything else of the server's.
      env: {},
      execArgv: [`--max-old-space-size=${heap}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#process.on('message', (report: Report) => this.#answer(report))
    this.#process.on('error', () => this.#lose('end'))
    this.#process.on('exit', (_code, signal) => this.#lose(signal === 'SIGABRT' ? 'memory' : 'end'))
    this.#rest()
  }

  /** Whether it makes nothing more. */
  get hasEnded(): boolean {
    return this.#loss !== undefined
  }

  /** Makes one file; the next one may begin when this has its outcome. Never rejects. */
  async make(job: Job): Promise<Outcome> {
    if (this.#loss !== undefined) return { loss: this.#loss }
    const late = setTimeout(() => this.#lose('time'), this.#bounds.deadline)
    const watch = setInterval(() => void this.#look(), LOOK_MS)
    this.#process.ref()
    this.#process.channel?.ref()
    try {
      return await new Promise<Outcome>((resolve) => {
        this.#settle = resolve
        this.#process.send(job, (error) => error && this.#lose('end'))
      })
    } finally {
      clearTimeout(late)
      clearInterval(watch)
      this.#rest()
    }
  }

  /** Ends it, whatever it is doing. */
  end(): void {
    this.#lose('end')
  }

  /** Ends it where it has too much memory; one look at a time. */
  async #look(): Promise<void> {
    const { pid } = this.#process
    if (this.#isLooking || pid === undefined) return
    this.#isLooking = true
    const held = await memoryOf(pid)
    this.#isLooking = false
    if (held > this.#bounds.memory && this.#settle !== undefined) this.#lose('memory')
  }

  /** One that has nothing to do keeps no server from ending. */
  #rest(): void {
    this.#process.unref()
    this.#process.channel?.unref()
  }

  #lose(loss: Loss): void {
    this.#loss ??= loss
    this.#process.kill('SIGKILL')
    this.#answer({ loss: this.#loss })
  }

  #answer(outcome: Outcome): void {
    const settle = this.#settle
    this.#settle = undefined
    settle?.(outcome)
  }
}

const MIB = 1024 * 1024
