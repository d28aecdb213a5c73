/** How many answers are kept. */
const MOST = 1000

/** A function of a text whose answers are kept: calendars take long, and records share their days. */
export function remembered<T extends {} | null>(find: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    if (known.size >= MOST) known.clear()
    const found = find(key)
    known.set(key, found)
    return found
  }
}
