/** A step over something, with something at hand; what need not wait promises nothing. */
type Step<T, W> = (about: T, by: W) => void | Promise<void>

/**
 * Runs steps one after the other, at once as far as none of them waits: every write goes through many, of which hardly one
 * has to, and a promise for each would cost more than the step.
 */
export function inTurn<T, W>(steps: readonly Step<T, W>[], about: T, by: W): void | Promise<void> {
  for (let at = 0; at < steps.length; at += 1) {
    const pending = steps[at]!(about, by)
    if (pending !== undefined) return goOn(pending, steps.slice(at + 1), about, by)
  }
}

async function goOn<T, W>(first: Promise<void>, rest: readonly Step<T, W>[], about: T, by: W): Promise<void> {
  await first
  for (const step of rest) {
    const pending = step(about, by)
    if (pending !== undefined) await pending
  }
}
