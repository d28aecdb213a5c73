/**
 * What `source` yields until one of `signals` is aborted: then it ends, and the source is told to. Nothing stays behind
 * on a signal that lives longer, which `AbortSignal.any` does not see to on Node 20.
 */
export async function* until<T>(
  signals: readonly AbortSignal[],
  source: AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const iterator = source[Symbol.asyncIterator]()
  let wake: (() => void) | undefined
  const end = () => wake?.()
  const isOver = () => signals.some(({ aborted }) => aborted)
  const next = () =>
    new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
      wake = () => resolve(undefined)
      iterator.next().then(resolve, reject)
    })
  for (const signal of signals) signal.addEventListener('abort', end)
  try {
    while (!isOver()) {
      const found = await next()
      if (found === undefined || found.done === true) return
      yield found.value
    }
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', end)
    // Not waited for: a source that waits for something hears of it only then.
    iterator.return?.().catch(() => undefined)
  }
}
