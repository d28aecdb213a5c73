/** Runs `work` at once and then every `periodMs`, one run after the other; what it returns ends that. */
export function repeat(
  work: (signal: AbortSignal) => Promise<void>,
  periodMs: number,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  const ended = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const once = async (): Promise<void> => {
    await work(ended.signal).catch(onFailure)
    if (!ended.signal.aborted) timer = setTimeout(() => void (running = once()), periodMs).unref()
  }
  let running = once()
  return async () => {
    ended.abort()
    clearTimeout(timer)
    await running
  }
}
