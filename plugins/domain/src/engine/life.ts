import type { Host, Logger } from '@svc/kernel'
import type { Data } from '../contract/data.ts'
import type { Model } from '../model/model.ts'
import { livingParts, Term } from './term.ts'

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
 * Opens what lives with a model once that is in force, and closes it before the next one opens. Nobody waits for it: a
 * part that takes its time, or fails, keeps no request from being answered.
 */
export class Life {
  readonly #log: Logger
  readonly #begun: Promise<unknown>
  readonly #stopping: AbortSignal
  readonly #successions = new Map<string, Succession>()

  constructor({ host, log }: LifeOptions) {
    this.#log = log
    this.#stopping = host.stopping
    this.#begun = Promise.race([host.started, aborted(host.stopping)])
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
