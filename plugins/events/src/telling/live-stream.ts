import type { Credentials } from '@svc/auth/contract'
import type { Caller } from '@svc/kernel'
import type { Place } from '../contract.ts'
import type { AskedOutside } from './asked.ts'

/** How much may wait for a reader, in bytes. */
const MOST_BEHIND = 1024 * 1024

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
    return this.#bytes > MOST_BEHIND / 4
  }

  /** Resolves once nothing waits for it. */
  async drained(): Promise<void> {
    if (this.#bytes === 0 || this.#isEnded) return
    await new Promise<void>((resolve) => (this.#onDrained = resolve))
    this.#onDrained = undefined
  }

  /** Tells it something, in bytes that others may be told too; who is too far behind is cut off, and may come back. */
  push(frame: Uint8Array): void {
    if (this.#isEnded) return
    this.#bytes += frame.length
    if (this.#bytes > MOST_BEHIND) {
      this.#waiting = []
      return this.end()
    }
    this.#waiting.push(frame)
    this.#flush()
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
    if (this.#waiting.length > 0 && (this.#isAsked || this.#isEnded) && !this.#isOver) {
      const [first, ...further] = this.#waiting
      const bytes = first !== undefined && further.length === 0 ? first : Buffer.concat(this.#waiting)
      this.#waiting = []
      this.#bytes = 0
      this.#isAsked = false
      this.#controller?.enqueue(bytes)
      this.#onDrained?.()
    }
    if (this.#isEnded && !this.#isOver) {
      this.#isOver = true
      this.#controller?.close()
    }
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
