/** Chance that a seed decides: the same seed makes the same choices on every machine. */
export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** One of the items, all equally likely. Throws where there is none. */
  pick<T>(items: readonly T[]): T
  /** Up to `most` items, each once, in an order of its own. */
  some<T>(items: readonly T[], most: number): readonly T[]
  bytes(size: number): Uint8Array
}

/** Makes a Random of a 32-bit seed (the generator is mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number) => Math.floor(next() * below)
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new Error('there is nothing to pick from')
    return items[int(items.length)]!
  }
  return {
    int,
    pick,
    chance: (probability) => next() < probability,
    some(items, most) {
      const left = [...items]
      return Array.from({ length: Math.min(most, left.length) }, () => left.splice(int(left.length), 1)[0]!)
    },
    bytes: (size) => Uint8Array.from({ length: size }, () => int(256)),
  }
}

/** A weight and what it stands for. */
export type Weighted<T> = readonly (readonly [weight: number, item: T])[]

/** One of the items, as likely as its weight says. */
export function pickWeighted<T>(random: Random, items: Weighted<T>): T {
  let rest = random.int(items.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, item] of items) if ((rest -= weight) < 0) return item
  throw new Error('there is nothing to pick from')
}
