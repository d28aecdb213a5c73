import { AppError } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { FileRow } from './table.ts'

/** Bytes that lie where they are to lie, and that nobody knows of yet. */
export interface Kept {
  readonly file: FileRow
  /** Makes the file one that is there, from the commit on. */
  enter(transaction: Transaction): Promise<void>
  /** Takes the bytes away again: where what was to enter them came to nothing. */
  discard(): Promise<void>
}

/**
 * Runs work that enters bytes in a transaction; it says when it begins to. Where it has not, or was refused, the bytes go
 * again. Where a transaction failed of whose end nobody has heard, its row may be there: then they stay, and are swept if
 * it is not.
 */
export async function entering<T>(
  { discard }: Pick<Kept, 'discard'>,
  work: (begins: () => void) => Promise<T>,
): Promise<T> {
  let hasBegun = false
  try {
    const result = await work(() => (hasBegun = true))
    if (!hasBegun) await discard()
    return result
  } catch (error) {
    if (!hasBegun || (error instanceof AppError && error.status < 500)) await discard()
    throw error
  }
}
