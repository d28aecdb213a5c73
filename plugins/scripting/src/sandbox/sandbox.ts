import { Worker } from 'node:worker_threads'
import { patiently } from './patience.ts'
import type { Ending, Job, Report, SandboxOptions } from './protocol.ts'

/** The compiled worker: a thread runs JavaScript alone, wherever this file is run from. */
const WORKER = new URL('../../dist/sandbox/worker.js', import.meta.url)

/** The interpreter ends a late script by itself, but not inside one long step: that is what the watchdog is for. */
const GRACE_MS = 250
/** What a thread may take to start on a busy machine. */
const START_MS = 10_000

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
  /** The first message of the thread says that it is there; each further one is a report. */
  readonly #there: Promise<Report | undefined>
  #answer: (report: Report | undefined) => void = () => undefined
  #loss: Report | undefined

  constructor(options: SandboxOptions) {
    this.#worker = new Worker(WORKER, { ...THREAD, workerData: options, name: options.file.slice(0, 50) })
    this.#worker.on('message', (report: Report | undefined) => this.#answer(report))
    this.#worker.on('error', ({ message }) => this.#lose('crash', `the thread failed: ${message}`))
    this.#worker.on('exit', () => this.#lose('crash', 'the thread ended'))
    this.#there = this.#answered(START_MS)
  }

  /** Does one job; the next one may begin when this has its report. Never rejects. */
  async perform(job: Job): Promise<Report> {
    await this.#there
    const report = this.#loss === undefined ? this.#answered(job.ms + GRACE_MS) : undefined
    this.#worker.postMessage(job)
    return (await report) ?? this.#lose('crash', 'the thread answers nothing')
  }

  /** Ends the thread, whatever it is doing. */
  async end(): Promise<void> {
    this.#lose('crash', 'the thread ended')
    await this.#worker.terminate()
  }

  async #answered(ms: number): Promise<Report | undefined> {
    const calm = patiently(ms, () => this.#lose('time', 'the thread hangs'))
    try {
      return await new Promise((resolve) => (this.#answer = resolve))
    } finally {
      calm()
    }
  }

  /** Nothing more comes of this sandbox, and whoever waits for it is told why; the first reason counts. */
  #lose(ended: Ending, fault: string): Report {
    const nothing = { registrations: [], settled: [], called: [], logged: [], unlogged: 0 }
    this.#loss ??= { ...nothing, ended, fault }
    this.#answer(this.#loss)
    return this.#loss
  }
}
