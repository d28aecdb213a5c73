import { type Listeners, listenersOf } from '@svc/automation/contract'
import type { Change, Model, Resource } from '@svc/domain/contract'
import type { Transaction } from '@svc/store/contract'
import type { EventReader } from './contract.ts'

interface Asked {
  readonly listeners: Listeners<true>
  /** Names of the readers that listen to nothing. */
  readonly idle: ReadonlySet<string>
}

/** What all readers listen to in a domain. It is asked for by the first write, which waits for it. */
export class Interests {
  readonly #model: Model
  readonly #readers: ReadonlyMap<string, EventReader>
  #asked: Asked | undefined

  constructor(model: Model, readers: ReadonlyMap<string, EventReader>) {
    this.#model = model
    this.#readers = readers
  }

  /** Whether it is known that nobody listens to a resource. */
  isQuiet(resource: Resource): boolean {
    return this.#asked?.listeners.listensTo(resource) === false
  }

  async areIn(change: Change, history: readonly string[], transaction: Transaction): Promise<boolean> {
    const { listeners } = await this.#ask(transaction)
    return listeners.hearing(change, history).length > 0
  }

  /** The names of the readers that listen to nothing in this domain. */
  async idle(transaction: Transaction): Promise<ReadonlySet<string>> {
    return (await this.#ask(transaction)).idle
  }

  /** The same where it is known already. */
  get knownIdle(): ReadonlySet<string> | undefined {
    return this.#asked?.idle
  }

  async #ask(transaction: Transaction): Promise<Asked> {
    return (this.#asked ??= await this.#read(transaction))
  }

  async #read(transaction: Transaction): Promise<Asked> {
    const entries = []
    const idle = new Set<string>()
    for (const reader of this.#readers.values()) {
      const triggers = await reader.interests(this.#model, transaction)
      if (triggers.length === 0) idle.add(reader.name)
      for (const trigger of triggers) entries.push([trigger, true] as const)
    }
    return { listeners: listenersOf(entries), idle }
  }
}
