import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import { LIMITS } from '../limits.ts'
import type { LogLevel, Report } from './protocol.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? I[] : T[K] }
type Draft = Mutable<Omit<Report, 'ended' | 'used'>>

const LEVELS: readonly LogLevel[] = ['info', 'warn', 'error']

/** Collects what a script says during one job. Only text and numbers of bounded size get through. */
export class Outbox {
  readonly #context: QuickJSContext
  readonly #file: string
  /** The function by which the script's side says everything; throws there where a limit is passed. */
  readonly send: QuickJSHandle
  /** Handlers are registered while the script is loaded, and never again. */
  isLoading = false
  readonly #slice: QuickJSHandle
  #draft: Draft = draft()
  /** Characters of input so far. */
  #length = 0

  constructor(context: QuickJSContext, file: string) {
    this.#context = context
    this.#file = file
    this.#slice = context.unwrapResult(
      context.evalCode('Function.prototype.call.bind(String.prototype.slice)'),
    )
    this.send = context.newFunction('send', (kind, ...values) => this.#take(kind, values))
  }

  /** Hands out what was collected, and begins anew. */
  empty(): Omit<Report, 'ended' | 'used'> {
    const full = this.#draft
    this.#draft = draft()
    this.#length = 0
    return full
  }

  #take(kindHandle: QuickJSHandle, values: readonly QuickJSHandle[]): void {
    const kind = this.#text(kindHandle, LIMITS.message) ?? ''
    const known = Object.hasOwn(this.#kinds, kind) ? this.#kinds[kind] : undefined
    if (known === undefined) throw new Error('only the prelude may send')
    known(values)
  }

  readonly #kinds: Readonly<Record<string, (values: readonly QuickJSHandle[]) => void>> = {
    on: ([name, as]) => this.#register(this.#text(name, 200), this.#text(as, 200)),
    log: (values) => this.#log(values),
    fault: ([what, stack]) => {
      const line = this.#text(stack, LIMITS.message, true)
        ?.split(`${this.#file}:`)[1]
        ?.match(/^[0-9]+/)?.[0]
      const text = this.#text(what, LIMITS.message, true) ?? 'it fails'
      this.#draft.fault = line === undefined ? text : `line ${line}: ${text}`
    },
    call: (values) => this.#call(values),
    settled: ([run, ok, value]) => {
      const isDone = this.#context.dump(ok!) === true
      const text = this.#text(value, isDone ? LIMITS.json : LIMITS.message, !isDone)
      this.#draft.settled.push({ run: this.#number(run), ok: isDone, text })
    },
  }

  #register(name: string | undefined, as: string | undefined): void {
    if (name === undefined || !/^(svc\.[^*]*\*?|\*|s\*|sv\*|svc\*)$/.test(name))
      throw new Error(
        "on(name, handler): a name is that of an event, as in 'svc.shop.order.created' or 'svc.shop.*'",
      )
    if (!this.isLoading)
      throw new Error('on(name, handler): handlers are registered while the script loads, not later')
    if (this.#draft.registrations.length === LIMITS.handlers)
      throw new Error(`on(name, handler): a script has at most ${LIMITS.handlers} handlers`)
    this.#draft.registrations.push({ name, as: as ?? null })
  }

  #call([run, call, action, input]: readonly QuickJSHandle[]): void {
    const { called } = this.#draft
    const text = this.#text(input, LIMITS.json)
    this.#length += text?.length ?? 0
    if (called.length >= LIMITS.called || this.#length > LIMITS.inputs)
      throw new Error(`at most ${LIMITS.called} calls and ${LIMITS.inputs} characters of input leave at once`)
    const name = this.#text(action, 300) ?? ''
    called.push({ run: this.#number(run), call: this.#number(call), action: name, input: text })
  }

  #log([given, message]: readonly QuickJSHandle[]): void {
    if (this.#draft.logged.length >= LIMITS.logs) return void (this.#draft.unlogged += 1)
    const name = this.#text(given, 10)
    const level = LEVELS.find((one) => one === name)
    const text = this.#text(message, LIMITS.message, true)
    if (level !== undefined && text !== undefined) this.#draft.logged.push({ level, message: text })
  }

  #number(handle: QuickJSHandle | undefined): number {
    return handle === undefined ? Number.NaN : this.#context.getNumber(handle)
  }

  /** A text of at most `most` characters, or undefined for what is none; a longer one is refused, or cut. */
  #text(handle: QuickJSHandle | undefined, most: number, cut = false): string | undefined {
    if (handle === undefined || this.#context.typeof(handle) !== 'string') return undefined
    const length = this.#context.getProp(handle, 'length').consume((value) => this.#context.getNumber(value))
    if (length <= most) return this.#context.getString(handle)
    if (cut) return this.#cut(handle, most)
    throw new Error(`a text of ${length} characters is too long: at most ${most} may leave the script`)
  }

  #cut(handle: QuickJSHandle, most: number): string {
    const context = this.#context
    const ends = [context.newNumber(0), context.newNumber(most)]
    const result = context.callFunction(this.#slice, context.undefined, handle, ...ends)
    return context.unwrapResult(result).consume((value) => context.getString(value))
  }
}

const draft = (): Draft => ({ registrations: [], settled: [], called: [], logged: [], unlogged: 0 })
