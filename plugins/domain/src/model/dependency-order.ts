/** Keys in an order in which each comes after those that it needs, and what has no such order. */
export interface DependencyOrder {
  readonly ordered: readonly string[]
  /** Keys that are in a circle, or need one that is. */
  readonly unordered: readonly string[]
  /** Each a chain in which every key needs the next, and the last the first. */
  readonly circles: readonly (readonly string[])[]
}

/** Orders the keys of a map by what their entries need of each other; of what is no key nothing is said. */
export function dependencyOrder<T>(
  entries: ReadonlyMap<string, T>,
  needs: (entry: T) => readonly string[],
): DependencyOrder {
  const open = new Map(
    [...entries].map(([key, entry]) => [key, new Set(needs(entry).filter((need) => entries.has(need)))]),
  )
  const neededBy = new Map<string, string[]>()
  for (const [key, all] of open)
    for (const need of all) neededBy.set(need, [...(neededBy.get(need) ?? []), key])
  const ordered = [...open].filter(([, all]) => all.size === 0).map(([key]) => key)
  for (const key of ordered) {
    for (const next of neededBy.get(key) ?? []) {
      const all = open.get(next)!
      all.delete(key)
      if (all.size === 0) ordered.push(next)
    }
    open.delete(key)
  }
  return { ordered, unordered: [...open.keys()], circles: circlesIn(open) }
}

/** Follows what each key needs until it meets a key again. */
function circlesIn(open: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const circles: string[][] = []
  const met = new Set<string>()
  for (const start of open.keys()) {
    const chain = new Set<string>()
    let key = start
    while (!met.has(key)) {
      met.add(key)
      chain.add(key)
      key = [...open.get(key)!][0]!
    }
    const steps = [...chain]
    if (chain.has(key)) circles.push(steps.slice(steps.indexOf(key)))
  }
  return circles
}
