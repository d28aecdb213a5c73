/** The first run comes soon: a server may never be up for a whole period. */
const FIRST_MS = 60_000

/** Runs `work` now and then, one run after the other; what it returns ends that, once a run is over. */
export function repeat(
  work: () => Promise<unknown>,
  periodMs: number,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let ended = false
  const schedule = (delay: number): NodeJS.Timeout => setTimeout(() => void (running = once()), delay).unref()
  const once = async () => {
    await work().catch(onFailure)
    if (!ended) timer = schedule(periodMs)
  }
  let timer = schedule(FIRST_MS)
  return async () => {
    ended = true
    clearTimeout(timer)
    await running
  }
}
