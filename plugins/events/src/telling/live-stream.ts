import type { Credentials } from '@svc/auth/contract'
import type { Caller } from '@svc/kernel'
import type { Place } from '../contract.ts'
import type { AskedOutside } from './asked.ts'

/** How much waits for a reader before no more is told it for the time being, in bytes: one event alone may be longer. */
const MOST_WAITING = 1024 * 1024
/** How much a reader is given at once, in bytes. */
const SLICE = 64 * 1024

export interface StreamParts {
  readonly asked: AskedOutside
  readonly caller: Caller
  /** What is asked again and again whether it still holds; undefined of who is nobody. */
  readonly credentials: Credentials | undefined
  readonly place: Place
  /** Called once, when nobody reads any more. */
  readonly over: () => void
}

/** One reader of the live stream, and what waits for it. */
export class LiveStream {
  readonly asked: AskedOutside
  readonly credentials: Credentials | undefined
  /** The same as a text: of those that come by one token it is asked once whether it still holds. */
  readonly proof: string | undefined
  caller: Caller
  /** What it was told up to. */
  place: Place
  readonly body: ReadableStream<Uint8Array>
  #over: (() => void) | undefined
  #onDrained: (() => void) | undefined
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #waiting: Uint8Array[] = []
  #bytes = 0
  #isAsked = false
  /** Whether something was taken since the last beat. */
  #isTaking = true
  #isEnded = false
  #isOver = false

  constructor({ asked, caller, credentials, place, over }: StreamParts) {
    this.asked = asked
    this.caller = caller
    this.credentials = credentials
    this.proof = credentials && JSON.stringify(credentials)
    this.place = place
    this.#over = over
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => {
          this.#isAsked = true
          this.#flush()
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    )
  }

  /** Whether nothing is told it any more. */
  get isOver(): boolean {
    return this.#isEnded
  }

  /** Whether so much waits for it that no more is read for it yet. */
  get isBusy(): boolean {
    return this.#bytes > MOST_WAITING / 4
  }

  /** Whether so much waits for it that it is told no more along with others. */
  get isFull(): boolean {
    return this.#bytes > MOST_WAITING
  }

  /** Resolves once nothing waits for it. */
  async drained(): Promise<void> {
    if (this.#bytes === 0 || this.#isEnded) return
    await new Promise<void>((resolve) => (this.#onDrained = resolve))
    this.#onDrained = undefined
  }

  /** Tells it something, in bytes that others may be told too. */
  push(frame: Uint8Array): void {
    if (this.#isEnded) return
    this.#bytes += frame.length
    this.#waiting.push(frame)
    this.#flush()
  }

  /** Tells it now and then something that means nothing; who took nothing since then of much that waits is cut off, and may come back. */
  beat(frame: Uint8Array): void {
    if (this.isBusy && !this.#isTaking) {
      this.#waiting = []
      return this.end()
    }
    this.#isTaking = false
    this.push(frame)
  }

  /** Ends it with the last words that wait for it. */
  end(words?: Uint8Array): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (words !== undefined) this.#waiting.push(words)
    this.#flush()
    this.#leave()
  }

  #flush(): void {
    if (this.#waiting.length > 0 && this.#isAsked && !this.#isOver) {
      this.#isAsked = false
      this.#isTaking = true
      this.#controller?.enqueue(this.#slice())
      if (this.#bytes === 0) this.#onDrained?.()
    }
    if (this.#isEnded && !this.#isOver) {
      for (const frame of this.#waiting) this.#controller?.enqueue(frame)
      this.#isOver = true
      this.#controller?.close()
    }
  }

  /** Takes of what waits as much as is given at once. */
  #slice(): Uint8Array {
    const taken: Uint8Array[] = []
    let bytes = 0
    while (bytes < SLICE) {
      const [first] = this.#waiting
      if (first === undefined) break
      const part = first.subarray(0, SLICE - bytes)
      if (part.length < first.length) this.#waiting[0] = first.subarray(part.length)
      else this.#waiting.shift()
      taken.push(part)
      bytes += part.length
    }
    this.#bytes -= bytes
    return taken.length === 1 ? taken[0]! : Buffer.concat(taken)
  }

  #leave(): void {
    this.#isEnded = this.#isOver = true
    this.#waiting = []
    this.#onDrained?.()
    const over = this.#over
    this.#over = undefined
    over?.()
  }
}
