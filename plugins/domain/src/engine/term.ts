import { setTimeout as delay } from 'node:timers/promises'
import type { Close, Logger } from '@svc/kernel'
import type { Data } from '../contract/data.ts'
import type { Placed } from '../contract/part.ts'
import type { Model } from '../model/model.ts'

/** The first and the longest pause before something that failed is opened again, in milliseconds. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
/** How long the next model waits for what the last one has open, in milliseconds. */
const PATIENCE_MS = 10_000

/** The parts of a model that live as long as it does. */
export const livingParts = ({ parts }: Pick<Model, 'parts'>): readonly Placed[] =>
  parts.filter(({ part }) => part.open !== undefined)

/** The time for which one model is in force: what its parts have open. */
export class Term {
  readonly #data: Data
  readonly #log: Logger
  readonly #ending = new AbortController()
  readonly #opened: Promise<Close | void>[] = []
  readonly #opening: Promise<void>

  /** Begins at once, one part after the other. */
  constructor(data: Data, log: Logger) {
    this.#data = data
    this.#log = log
    this.#opening = this.#openAll()
  }

  /** Resolves when everything is closed, in reverse order, or takes too long for that. */
  async end(): Promise<void> {
    this.#ending.abort()
    const patience = new AbortController()
    const late = delay(PATIENCE_MS, 'late' as const, { signal: patience.signal, ref: false })
    const outcome = await Promise.race([this.#closeAll(), late.catch(() => undefined)])
    patience.abort()
    if (outcome === 'late')
      this.#log.warn({ domain: this.#data.model.name, waited_ms: PATIENCE_MS }, 'domain.close_late')
  }

  async #openAll(): Promise<void> {
    for (const placed of livingParts(this.#data.model)) {
      if (this.#ending.signal.aborted) return
      const first = this.#open(placed)
      // What fails is tried again beside the others.
      this.#opened.push(first.catch((err: unknown) => this.#openAgain(placed, err)))
      await first.catch(() => undefined)
    }
  }

  async #open({ part }: Placed): Promise<Close | void> {
    return part.open?.(this.#data)
  }

  async #openAgain(placed: Placed, failure: unknown): Promise<Close | void> {
    const { signal } = this.#ending
    let err = failure
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      this.#tell(placed, err, 'domain.open_failed')
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      try {
        return await this.#open(placed)
      } catch (again) {
        err = again
      }
    }
  }

  async #closeAll(): Promise<void> {
    await this.#opening
    const living = livingParts(this.#data.model)
    for (const [at, opened] of [...this.#opened.entries()].reverse()) {
      try {
        const close = await opened
        await close?.()
      } catch (err) {
        this.#tell(living[at]!, err, 'domain.close_failed')
      }
    }
  }

  #tell({ key, resource }: Placed, err: unknown, event: string): void {
    const { name } = this.#data.model
    this.#log.error({ domain: name, key, ...(resource && { resource: resource.name }), err }, event)
  }
}
