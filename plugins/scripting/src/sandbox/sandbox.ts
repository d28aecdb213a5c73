import { Worker } from 'node:worker_threads'
import { Allowance } from './allowance.ts'
import { patiently } from './patience.ts'
import type { Ending, Hello, Job, Report, SandboxOptions } from './protocol.ts'

/** The compiled worker: a thread runs JavaScript alone, wherever this file is run from. */
const WORKER = new URL('../../dist/sandbox/worker.js', import.meta.url)

/** The interpreter ends a late script by itself, but not inside one long step: that is what the watchdog is for. */
const GRACE_MS = 250
/** What a thread may take to start on a busy machine; one that fails says so at once. */
const START_MS = 60_000

/** Threads get no environment and no arguments; the heap beside the interpreter's own memory stays small. */
const THREAD = {
  env: {},
  argv: [],
  execArgv: [],
  stdin: false,
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
}

/** A script in a thread of its own. */
export class Sandbox {
  readonly #worker: Worker
  readonly #there: Promise<Hello>
  #greet: (hello: Hello) => void = () => undefined
  #answer: (report: Report) => void = () => undefined
  #loss: Report | undefined

  constructor(options: SandboxOptions) {
    this.#worker = new Worker(WORKER, { ...THREAD, workerData: options, name: options.file.slice(0, 50) })
    this.#worker.on('message', (message: Hello | Report) =>
      'clock' in message ? this.#greet(message) : this.#answer(message),
    )
    this.#worker.on('error', ({ message }) => this.#lose('crash', `the thread failed: ${message}`))
    this.#worker.on('exit', () => this.#lose('crash', 'the thread ended'))
    this.#there = this.#greeting()
  }

  /** Does one job; the next one may begin when this has its report. Never rejects. */
  async perform(job: Job): Promise<Report> {
    const { clock } = await this.#there
    if (this.#loss !== undefined) return this.#loss
    const report = this.#reported(new Allowance(job.ms + GRACE_MS, clock), job.ms + GRACE_MS)
    this.#worker.postMessage(job)
    return report
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    this.#lose('crash', 'the thread ended')
    await this.#worker.terminate()
  }

  async #greeting(): Promise<Hello> {
    const calm = patiently(START_MS, () => this.#lose('time', 'the thread does not start'))
    try {
      return await new Promise((resolve) => (this.#greet = resolve))
    } finally {
      calm()
    }
  }

  /** Looks again as long as the thread has had less of the processor than it may have. */
  async #reported(allowance: Allowance, ms: number): Promise<Report> {
    let calm: () => void = () => undefined
    const look = () => {
      const left = allowance.left()
      if (left > 0) calm = patiently(left, look)
      else this.#lose('time', 'the thread hangs')
    }
    calm = patiently(ms, look)
    try {
      return await new Promise((resolve) => (this.#answer = resolve))
    } finally {
      calm()
    }
  }

  /** Nothing more comes of this sandbox, and whoever waits for it is told why; the first reason counts. */
  #lose(ended: Ending, fault: string): Report {
    const nothing = { used: 0, registrations: [], settled: [], called: [], logged: [], unlogged: 0 }
    this.#loss ??= { ...nothing, ended, fault }
    this.#greet({ clock: undefined })
    this.#answer(this.#loss)
    return this.#loss
  }
}
