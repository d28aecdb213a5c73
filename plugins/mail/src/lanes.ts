/** Runs works a few at a time, in the order in which they came. */
export type Lanes = (work: () => Promise<void>) => Promise<void>

/** Makes `count` lanes; the line before them has no end of its own. */
export function createLanes(count: number): Lanes {
  const waiting: (() => void)[] = []
  let free = count
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
