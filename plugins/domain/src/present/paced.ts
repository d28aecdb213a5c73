import { setImmediate as aside } from 'node:timers/promises'

/** How long one list is worked at before everybody else gets their turn, in milliseconds. */
const TURN_MS = 10

/** What `make` makes of each item. Nobody who waits for something else waits for the whole of a long list. */
export async function paced<T, R>(
  items: readonly T[],
  make: (item: T, at: number) => R,
): Promise<readonly R[]> {
  const made: R[] = []
  let began = performance.now()
  for (const [at, item] of items.entries()) {
    made.push(make(item, at))
    if (performance.now() - began < TURN_MS) continue
    await aside()
    began = performance.now()
  }
  return made
}
