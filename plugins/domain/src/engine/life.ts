import { setTimeout as delay } from 'node:timers/promises'
import type { Host, Logger } from '@svc/kernel'
import type { Data } from '../contract/data.ts'
import type { Model } from '../model/model.ts'
import { livingParts, Term } from './term.ts'

/** How long whoever brought a model waits for what lives with it, in milliseconds. */
const PATIENCE_MS = 2000

export interface LifeOptions {
  readonly host: Pick<Host, 'started' | 'stopping'>
  readonly log: Logger
}

/** The models of one domain, each of which opens when the one before it is closed. */
interface Succession {
  /** What comes next; undefined: nothing that lives. */
  next: (() => Data) | undefined
  /** What it was when it was last looked at. */
  settled: (() => Data) | undefined
  term: Term | undefined
  turn: Promise<void>
}

/**
 * Opens what lives with a model once that is in force, and closes it before the next one opens. No request waits for it
 * but the one that brought the model, and that for a moment: so that what is answered for is there as a rule.
 */
export class Life {
  readonly #log: Logger
  readonly #begun: Promise<unknown>
  #hasBegun = false
  readonly #stopping: AbortSignal
  readonly #successions = new Map<string, Succession>()

  constructor({ host, log }: LifeOptions) {
    this.#log = log
    this.#stopping = host.stopping
    this.#begun = Promise.race([host.started, aborted(host.stopping)]).then(() => (this.#hasBegun = true))
  }

  /** A model has come into force; `data` is asked where something of it lives. */
  enter(model: Model, data: () => Data): void {
    const lives = livingParts(model).length > 0
    const known = this.#successions.get(model.name)
    if (known === undefined && !lives) return
    const succession = known ?? {
      next: undefined,
      settled: undefined,
      term: undefined,
      turn: this.#begun.then(),
    }
    this.#successions.set(model.name, succession)
    this.#turn(succession, lives ? data : undefined)
  }

  /** Resolves once what lives with the model in force of a domain is open or has failed to open; late in a moment. */
  async opened(domain: string): Promise<void> {
    const succession = this.#successions.get(domain)
    if (succession === undefined || !this.#hasBegun) return
    const over = new AbortController()
    const late = delay(PATIENCE_MS, undefined, { signal: over.signal, ref: false }).catch(() => undefined)
    await Promise.race([succession.turn.then(() => succession.term?.opening), late])
    over.abort()
  }

  /** Closes everything. */
  async end(): Promise<void> {
    const all = [...this.#successions.values()]
    for (const succession of all) this.#turn(succession, undefined)
    await Promise.all(all.map(({ turn }) => turn))
  }

  #turn(succession: Succession, next: Succession['next']): void {
    succession.next = next
    succession.turn = succession.turn.then(() => this.#settle(succession))
  }

  async #settle(succession: Succession): Promise<void> {
    if (succession.next === succession.settled) return
    await succession.term?.end()
    // Another model may have come meanwhile: the one between is never opened, and none where the server stops.
    const next = this.#stopping.aborted ? undefined : succession.next
    succession.settled = next
    succession.term = next && new Term(next(), this.#log)
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
