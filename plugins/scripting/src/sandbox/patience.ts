/**
 * Calls `late` after `ms` milliseconds, and cancels that by what it returns. Where this thread itself was held up,
 * what has arrived meanwhile is looked at first.
 */
export function patiently(ms: number, late: () => void): () => void {
  let check: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    check = setImmediate(late)
  }, ms)
  timer.unref()
  return () => {
    clearTimeout(timer)
    clearImmediate(check)
  }
}
