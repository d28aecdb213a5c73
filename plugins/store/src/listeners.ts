/** Those who want to hear that a transaction is durable. */
export class Listeners {
  #all: (() => void)[] | undefined

  add(listener: () => void): void {
    ;(this.#all ??= []).push(listener)
  }

  /** Calls each, once. The transaction stands whatever they do: what they throw is lost. */
  call(): void {
    const all = this.#all
    if (all === undefined) return
    this.#all = undefined
    for (const listener of all) {
      try {
        listener()
      } catch {
        // Nobody is left to hear of it.
      }
    }
  }
}
