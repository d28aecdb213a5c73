import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'

/**
 * The longest time between two turns of the event loop while `work` goes on, in milliseconds, how many there were, and what it took in
 * all. The pauses of garbage collection are not counted: what they take depends on the heap of all the tests in this process.
 */
export async function held<T>(
  work: () => Promise<T>,
): Promise<{ ms: number; turns: number; took: number; answer: T }> {
  const pauses: PerformanceEntry[] = []
  const observer = new PerformanceObserver((seen) => void pauses.push(...seen.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  const turns = [performance.now()]
  let isOver = false
  const turn = () => {
    turns.push(performance.now())
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const answer = await work()
  const took = performance.now() - turns[0]!
  await new Promise((resolve) => setImmediate(resolve))
  isOver = true
  pauses.push(...observer.takeRecords())
  observer.disconnect()
  let ms = 0
  for (const [at, from] of turns.slice(0, -1).entries()) {
    const to = turns[at + 1]!
    if (to - from <= ms) continue
    const paused = pauses.filter(({ startTime }) => startTime >= from && startTime < to)
    ms = Math.max(ms, to - from - paused.reduce((sum, { duration }) => sum + duration, 0))
  }
  return { ms, turns: turns.length - 1, took, answer }
}
