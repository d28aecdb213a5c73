import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core'
import { Allowance } from './allowance.ts'
import { boundMemory, type MemoryBound } from './memory.ts'
import { Outbox } from './outbox.ts'
import { PRELUDE } from './prelude.ts'
import { ownClock } from './processor-time.ts'
import type { Ending, Job, Report, SandboxOptions } from './protocol.ts'

/** Deep enough for honest recursion, and flat enough that the interpreter notices before the thread's stack ends. */
const STACK_BYTES = 128 * 1024
/** Promise jobs between two looks at the time. */
const JOBS = 1000

const wasm = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-ng-wasmfile-release-sync'))

/** A script in an interpreter of its own, with nothing around it but `on`. */
export class Interpreter {
  /** Where the processor time of this thread is counted. */
  readonly clock = ownClock()
  readonly #options: SandboxOptions
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #outbox: Outbox
  readonly #entries: QuickJSHandle
  readonly #memory: MemoryBound
  readonly #make = {
    newNumber: (value: number) => this.#context.newNumber(value),
    newString: (value: string) => this.#context.newString(value),
  }
  #allowance: Allowance | undefined
  /** Nothing can be late before: no look at the processor's time is needed, which takes a while. */
  #looksAt = Infinity
  #ended: Ending | undefined

  constructor(options: SandboxOptions) {
    this.#options = options
    this.#runtime = wasm.newRuntime()
    this.#runtime.setMaxStackSize(STACK_BYTES)
    this.#runtime.setInterruptHandler(() => this.#isLate())
    this.#context = this.#runtime.newContext()
    this.#outbox = new Outbox(this.#context, options.file)
    const prelude = this.#context.unwrapResult(this.#context.evalCode(PRELUDE, 'svc'))
    this.#entries = this.#context.unwrapResult(
      this.#context.callFunction(prelude, this.#context.undefined, this.#outbox.send),
    )
    prelude.dispose()
    this.#memory = boundMemory(options.memoryMb)
  }

  /** Does a job until all of it waits, and answers what came of it. Never throws. */
  perform(job: Job): Report {
    const allowance = new Allowance(job.ms, this.clock)
    this.#allowance = allowance
    this.#looksAt = performance.now() + job.ms
    let crash: string | undefined
    try {
      this.#begin(job)
      this.#runPending()
    } catch (error) {
      // The interpreter itself has failed: what it holds is not to be trusted any more.
      this.#ended ??= 'crash'
      crash = String(error)
    }
    const ended = this.#ended ?? (this.#memory.wasPassed() ? 'memory' : undefined)
    const used = allowance.used()
    return {
      ...this.#outbox.empty(),
      used,
      ...(ended && { ended }),
      ...(crash !== undefined && { fault: crash }),
    }
  }

  #begin(job: Job): void {
    const { newNumber, newString } = this.#make
    if (job.kind === 'load') this.#load()
    else if (job.kind === 'start')
      this.#enter('start', [newNumber(job.run), newNumber(job.handler), newString(job.event)])
    else this.#enter('resume', [newNumber(job.call), newNumber(job.ok ? 1 : 0), newString(job.result)])
  }

  #load(): void {
    const { file, source } = this.#options
    this.#outbox.isLoading = true
    const result = this.#context.evalCode(source, file, { type: 'global' })
    this.#outbox.isLoading = false
    if (result.error) this.#enter('fault', [result.error])
    else result.value.dispose()
  }

  #enter(entry: 'fault' | 'start' | 'resume', values: readonly QuickJSHandle[]): void {
    const target = this.#context.getProp(this.#entries, entry)
    const result = this.#context.callFunction(target, this.#context.undefined, ...values)
    for (const handle of [target, ...values]) handle.dispose()
    // What fails in here was told by the prelude, or is the interpreter's own end.
    ;(result.error ?? result.value).dispose()
  }

  #runPending(): void {
    while (this.#runtime.hasPendingJob() && this.#ended === undefined) {
      const result = this.#runtime.executePendingJobs(JOBS)
      result.error?.dispose()
      this.#isLate()
    }
  }

  #isLate(): boolean {
    if (performance.now() <= this.#looksAt || this.#allowance === undefined) return false
    const left = this.#allowance.left()
    this.#looksAt = performance.now() + left
    if (left <= 0) this.#ended ??= 'time'
    return left <= 0
  }
}
