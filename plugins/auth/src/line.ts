/**
 * A line in which those who came together stand together: their groups take turns, so that nobody waits for all that
 * somebody else has brought. It has a bounded number of places; where they are taken, the largest group gives one up.
 */
export class Line<T> {
  readonly #places: number
  /** The group whose turn is next comes first. */
  readonly #groups = new Map<string, T[]>()
  #size = 0

  constructor(places: number) {
    this.#places = places
  }

  /** Adds to a group; answers who had to leave for it: the last of the largest group, perhaps the newcomer. */
  put(key: string, newcomer: T): T | undefined {
    const group = this.#groups.get(key) ?? []
    group.push(newcomer)
    this.#groups.set(key, group)
    this.#size += 1
    if (this.#size <= this.#places) return undefined
    const [largestKey, largest] = this.#largest(key, group)
    this.#size -= 1
    if (largest.length === 1) this.#groups.delete(largestKey)
    return largest.pop()
  }

  /** Takes whose turn it is out of the line. */
  take(): T | undefined {
    for (const [key, group] of this.#groups) {
      this.#groups.delete(key)
      if (group.length > 1) this.#groups.set(key, group)
      this.#size -= 1
      return group.shift()
    }
    return undefined
  }

  /** Of groups that are as large as the newcomer's, that one. */
  #largest(key: string, group: T[]): readonly [string, T[]] {
    let found: readonly [string, T[]] = [key, group]
    for (const entry of this.#groups) if (entry[1].length > found[1].length) found = entry
    return found
  }
}
