import { AsyncLocalStorage } from 'node:async_hooks'

/** Inside of what a block does in a transaction, for as long as that lasts. */
interface Inside {
  isOver: boolean
}

const inside = new AsyncLocalStorage<Inside>()
let open = 0

/**
 * Runs what a block does inside a transaction. Storage of this kind makes every promise of the process dearer while it
 * is in use, so that it is given up whenever nothing of this kind runs (decision 20).
 */
export async function runInside<T>(work: () => Promise<T>): Promise<T> {
  const present: Inside = { isOver: false }
  open += 1
  try {
    return await inside.run(present, work)
  } finally {
    present.isOver = true
    open -= 1
    if (open === 0) inside.disable()
  }
}

/** Throws where a block would begin a transaction inside another, for which it would wait for ever. */
export function assertOutside(): void {
  if (open === 0 || inside.getStore()?.isOver !== false) return
  throw new Error(
    'a transaction was begun inside another, which waits for it: write by what the step or the work was handed ' +
      '(`writes.record`), or do so after it',
  )
}
