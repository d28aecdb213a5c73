/**
 * Lets all who ask while a reading is under way share the next one: each gets a reading that began after it asked,
 * and no more than one runs at a time.
 */
export function sharedTurn<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined
  let next: Promise<T> | undefined
  const begin = (): Promise<T> => {
    next = undefined
    const reading = read()
    const over = () => void (running = running === settled ? undefined : running)
    const settled: Promise<unknown> = reading.then(over, over)
    running = settled
    return reading
  }
  return () => {
    if (running === undefined) return begin()
    return (next ??= running.then(begin))
  }
}
