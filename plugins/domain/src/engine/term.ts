import { setTimeout as delay } from 'node:timers/promises'
import type { Close, Logger } from '@svc/kernel'
import type { Data } from '../contract/data.ts'
import type { Placed } from '../contract/part.ts'
import type { Model } from '../model/model.ts'

/** The first and the longest pause before something that failed is opened again, in milliseconds. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
/** How long the others wait for a part that opens or closes, in milliseconds. */
const PATIENCE_MS = 10_000

/** The parts of a model that live as long as it does. */
export const livingParts = ({ parts }: Pick<Model, 'parts'>): readonly Placed[] =>
  parts.filter(({ part }) => part.open !== undefined)

/** The time for which one model is in force: what its parts have open. */
export class Term {
  readonly #data: Data
  readonly #log: Logger
  readonly #patienceMs: number
  readonly #ending = new AbortController()
  readonly #opened: Promise<Close | void>[] = []
  /** Resolves when every part has been opened, has failed to, or takes too long. */
  readonly opening: Promise<void>

  /** Begins at once, one part after the other; each is waited for so many milliseconds, as it opens and as it closes. */
  constructor(data: Data, log: Logger, patienceMs = PATIENCE_MS) {
    this.#data = data
    this.#log = log
    this.#patienceMs = patienceMs
    this.opening = this.#openAll()
  }

  /** Resolves when everything is closed, in reverse order; what takes too long for that is passed over. */
  async end(): Promise<void> {
    this.#ending.abort()
    await this.opening
    for (const [at, opened] of [...this.#opened.entries()].reverse())
      await this.#inTime(at, this.#close(at, opened), 'domain.close_late')
  }

  async #openAll(): Promise<void> {
    const { signal } = this.#ending
    for (const [at, placed] of livingParts(this.#data.model).entries()) {
      if (signal.aborted) return
      const first = this.#open(placed)
      // What fails is tried again beside the others.
      this.#opened.push(first.catch((err: unknown) => this.#openAgain(at, placed, err)))
      const settled = first.then(nothing, nothing)
      await this.#inTime(at, settled, 'domain.open_late', signal)
    }
  }

  /** Waits for a part as long as that is reasonable, and says where it was longer. */
  async #inTime(at: number, work: Promise<void>, event: string, until?: AbortSignal): Promise<void> {
    const over = new AbortController()
    const signal = until === undefined ? over.signal : AbortSignal.any([over.signal, until])
    const late = delay(this.#patienceMs, 'late' as const, { signal, ref: false }).catch(nothing)
    const outcome = await Promise.race([work, late])
    over.abort()
    if (outcome === 'late') this.#log.warn({ ...this.#nameOf(at), waited_ms: this.#patienceMs }, event)
  }

  async #open({ part }: Placed): Promise<Close | void> {
    return part.open?.(this.#data)
  }

  async #openAgain(at: number, placed: Placed, failure: unknown): Promise<Close | void> {
    const { signal } = this.#ending
    let err = failure
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      this.#log.error({ ...this.#nameOf(at), err }, 'domain.open_failed')
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      try {
        return await this.#open(placed)
      } catch (again) {
        err = again
      }
    }
  }

  async #close(at: number, opened: Promise<Close | void>): Promise<void> {
    try {
      const close = await opened
      await close?.()
    } catch (err) {
      this.#log.error({ ...this.#nameOf(at), err }, 'domain.close_failed')
    }
  }

  #nameOf(at: number): object {
    const { model } = this.#data
    const { key, resource } = livingParts(model)[at]!
    return { domain: model.name, key, ...(resource && { resource: resource.name }) }
  }
}

const nothing = (): void => undefined
