import { AsyncLocalStorage } from 'node:async_hooks'

/** Whether what runs now was begun inside a transaction that a block takes part in. */
const inside = new AsyncLocalStorage<true>()
let open = 0

/**
 * Runs what a block does inside a transaction. Storage of this kind makes every promise of the process dearer while it
 * is in use, so that it is given up whenever nothing of this kind runs.
 */
export async function runInside<T>(work: () => Promise<T>): Promise<T> {
  open += 1
  try {
    return await inside.run(true, work)
  } finally {
    open -= 1
    if (open === 0) inside.disable()
  }
}

/** Throws where a block would begin a transaction inside another, for which it would wait for ever. */
export function assertOutside(): void {
  if (open === 0 || inside.getStore() === undefined) return
  throw new Error(
    'a transaction was begun inside another, which waits for it: write by what the step or the work was handed ' +
      '(`writes.record`), or do so after it',
  )
}
