/**
 * Reads the first part before it is asked for, so that whatever refuses the reading does so at once, and answers the
 * whole. Whoever gives it up by `signal`, during the first part too, ends the reading; what they read of it after
 * that throws the signal's reason, since it would look complete.
 */
export async function beginReading<T>(
  parts: AsyncIterator<T>,
  signal: AbortSignal,
): Promise<AsyncIterator<T>> {
  let first: IteratorResult<T> | undefined = await parts.next()
  const end = () => void parts.return?.().catch(() => undefined)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return {
    async next() {
      signal.throwIfAborted()
      const part = first ?? (await parts.next())
      first = undefined
      return part
    },
    return: async () => (await parts.return?.()) ?? { done: true, value: undefined },
  }
}
