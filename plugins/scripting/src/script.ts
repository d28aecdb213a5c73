import { setTimeout as delay } from 'node:timers/promises'
import { type AppError, assertWellFormed, type Logger } from '@svc/kernel'
import type { AnswerCall } from './answer.ts'
import { scriptingErrors } from './errors.ts'
import { LIMITS } from './limits.ts'
import { type Loaded, loadScript, type LoadOptions, ScriptFault } from './load.ts'
import { Run, type RunStart } from './run.ts'
import type { Called, Ending, Job, Registration, Report, Settled } from './sandbox/protocol.ts'
import type { Sandbox } from './sandbox/sandbox.ts'

export interface ScriptTools {
  readonly log: Logger
  readonly answer: AnswerCall
}

/** One stretch of work for the sandbox, and the handler that it belongs to. */
interface Task {
  readonly run: Run
  readonly job: Job
}

const ENDED: Readonly<Record<Ending, () => AppError>> = {
  time: scriptingErrors.SCRIPT_LATE,
  memory: scriptingErrors.SCRIPT_TOO_LARGE,
  crash: scriptingErrors.SCRIPT_BROKEN,
}

/**
 * One script: its handlers share a sandbox, which does one stretch of work at a time. A sandbox that is ended takes
 * the handlers down that have begun in it; the next event gets a new one.
 */
export class Script {
  readonly options: LoadOptions
  readonly registrations: readonly Registration[]
  readonly #tools: ScriptTools
  #sandbox: Sandbox | undefined
  readonly #begun = new Map<number, Run>()
  readonly #resumes: Task[] = []
  readonly #urgent: Run[] = []
  readonly #waiting: Run[] = []
  #number = 0
  #isWorking = false
  /** Takes no more events. */
  #isClosed = false
  /** Nobody waits for anything any more. */
  #isEnded = false

  constructor(options: LoadOptions, { sandbox, registrations, report }: Loaded, tools: ScriptTools) {
    this.options = options
    this.registrations = registrations
    this.#tools = tools
    this.#sandbox = sandbox
    this.#write(report, undefined)
  }

  /** Runs a handler; answers what it returned. Rejects with an AppError that says why there is no answer. */
  run(start: RunStart): Promise<unknown> {
    if (this.#isClosed) throw scriptingErrors.SCRIPT_GONE()
    if (this.#waiting.length >= LIMITS.waiting) throw scriptingErrors.SCRIPT_BUSY()
    const run = new Run(start)
    ;(start.isUrgent ? this.#urgent : this.#waiting).push(run)
    this.#work()
    return run.result
  }

  /** Waits for the handlers, no longer than one may take, and ends the sandbox. */
  async close(): Promise<void> {
    this.#isClosed = true
    const open = [...this.#begun.values(), ...this.#urgent, ...this.#waiting]
    const patience = new AbortController()
    const enough = delay(this.options.timeoutMs, undefined, { signal: patience.signal }).catch(
      () => undefined,
    )
    await Promise.race([Promise.allSettled(open.map(({ result }) => result)), enough])
    patience.abort()
    this.#isEnded = true
    for (const run of open) run.fail(scriptingErrors.SCRIPT_GONE())
    await this.#sandbox?.end()
  }

  #work(): void {
    if (this.#isWorking) return
    this.#isWorking = true
    void this.#workOff()
  }

  async #workOff(): Promise<void> {
    for (let task = this.#next(); task !== undefined; task = this.#next()) await this.#perform(task)
    this.#isWorking = false
  }

  /** What has begun goes on before anything else begins: its time runs. */
  #next(): Task | undefined {
    const task = this.#resumes.shift()
    if (task !== undefined) return task
    const isFull = this.#begun.size >= LIMITS.begun
    const run = this.#urgent.shift() ?? (isFull ? undefined : this.#waiting.shift())
    return run && this.#begin(run)
  }

  #begin(run: Run): Task {
    const { timeoutMs } = this.options
    const number = ++this.#number
    const { handler, event } = run.start
    this.#begun.set(number, run)
    const over = () => {
      this.#begun.delete(number)
      this.#work()
    }
    run.result.then(over, over)
    return { run, job: { kind: 'start', ms: timeoutMs, handler, run: number, event } }
  }

  async #perform({ run, job }: Task): Promise<void> {
    if (run.isOver && job.kind === 'start') return
    try {
      this.#sandbox ??= await this.#reload()
      const sandbox = this.#sandbox
      if (job.kind === 'start') this.#time(run)
      run.proceed()
      const report = await sandbox.perform({ ...job, ms: run.left() })
      run.wait(report.used)
      this.#take(report, run, sandbox)
    } catch (error) {
      this.#tools.log.error({ script: this.options.file, err: error }, 'script.not_restarted')
      run.fail(scriptingErrors.SCRIPT_BROKEN())
    }
  }

  /** The script's own stretch is ended inside; this is for a handler that waits. */
  #time(run: Run): void {
    const { timeoutMs, file } = this.options
    run.begin(timeoutMs, () => {
      this.#tools.log.error({ script: file, handler: run.start.registration.name }, 'script.late')
      run.fail(scriptingErrors.SCRIPT_LATE())
    })
  }

  async #reload(): Promise<Sandbox> {
    const { sandbox, registrations } = await loadScript(this.options)
    const isSame = JSON.stringify(registrations) === JSON.stringify(this.registrations)
    if (isSame && !this.#isEnded) return sandbox
    await sandbox.end()
    if (isSame) throw scriptingErrors.SCRIPT_GONE()
    throw new ScriptFault('it registers other handlers than before')
  }

  #take(report: Report, run: Run, sandbox: Sandbox): void {
    const { ended, fault, called, settled } = report
    this.#write(report, run)
    if (ended === undefined) for (const one of called) void this.#answer(one, sandbox)
    // Why a handler failed in a sandbox that came to its end is told by how that ended.
    for (const one of settled) if (one.ok || ended === undefined) this.#settle(one)
    if (ended !== undefined) this.#lose(ended, fault, run)
  }

  #write({ logged, unlogged }: Report, run: Run | undefined): void {
    const { log } = this.#tools
    const about = { script: this.options.file, ...(run && { handler: run.start.registration.name }) }
    for (const { level, message } of logged) log[level]({ ...about, message }, 'script.says')
    if (unlogged > 0) log.warn({ ...about, messages: unlogged }, 'script.says_too_much')
  }

  /** Calls of a handler that is over stay without an answer: nothing of it may go on for ever. */
  async #answer(called: Called, sandbox: Sandbox): Promise<void> {
    const run = this.#begun.get(called.run)
    if (run === undefined || run.isOver) {
      this.#tools.log.warn({ script: this.options.file, action: called.action }, 'script.call_ignored')
      return
    }
    const answered = await this.#tools.answer(called, run)
    if (this.#sandbox !== sandbox) return
    run.proceed()
    if (run.isOver) return
    this.#resumes.push({ run, job: { kind: 'resume', ms: run.left(), call: called.call, ...answered } })
    this.#work()
  }

  #settle({ run: number, ok, text }: Settled): void {
    const run = this.#begun.get(number)
    if (run === undefined) return
    try {
      if (!ok) throw scriptingErrors.SCRIPT_REFUSED(text ? { message: text.toWellFormed() } : {})
      const value: unknown = text === undefined ? undefined : JSON.parse(text)
      assertWellFormed(value)
      run.finish(value)
    } catch (error) {
      run.fail(error as Error)
    }
  }

  #lose(ending: Ending, fault: string | undefined, culprit: Run): void {
    const { log } = this.#tools
    const handler = culprit.start.registration.name
    log.error({ script: this.options.file, handler, reason: ending, ...(fault && { fault }) }, 'script.ended')
    culprit.fail(ENDED[ending]())
    for (const run of this.#begun.values()) run.fail(scriptingErrors.SCRIPT_GONE())
    this.#begun.clear()
    this.#resumes.length = 0
    void this.#sandbox?.end()
    this.#sandbox = undefined
  }
}
