/** A map that forgets its oldest entry once it holds `limit` of them: what outsiders can make many of stays small. */
export class BoundedMap<K, V> {
  readonly #limit: number
  readonly #entries = new Map<K, V>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  set(key: K, value: V): void {
    if (this.#entries.size >= this.#limit) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest)
        break
      }
    }
    this.#entries.set(key, value)
  }
}
