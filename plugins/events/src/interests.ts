import { type Listeners, listenersOf } from '@svc/automation/contract'
import type { Change, Model, Resource } from '@svc/domain/contract'
import type { Transaction } from '@svc/store/contract'
import type { EventReader } from './contract.ts'

/** What all readers listen to in a domain. It is asked for by the first write, which waits for it. */
export class Interests {
  readonly #model: Model
  readonly #readers: ReadonlyMap<string, EventReader>
  #listeners: Listeners<true> | undefined

  constructor(model: Model, readers: ReadonlyMap<string, EventReader>) {
    this.#model = model
    this.#readers = readers
  }

  /** Whether it is known that nobody listens to a resource. */
  isQuiet(resource: Resource): boolean {
    return this.#listeners?.listensTo(resource) === false
  }

  async areIn(change: Change, history: readonly string[], transaction: Transaction): Promise<boolean> {
    const listeners = (this.#listeners ??= await this.#asked(transaction))
    return listeners.hearing(change, history).length > 0
  }

  async #asked(transaction: Transaction): Promise<Listeners<true>> {
    const entries = []
    for (const reader of this.#readers.values())
      for (const trigger of await reader.interests(this.#model, transaction))
        entries.push([trigger, true] as const)
    return listenersOf(entries)
  }
}
