import { shared } from '@svc/kernel'
import type { Writes } from '../contract/writes.ts'

/** Writes what is to stand of a write that was refused, such as the entry of a ledger. */
export type Remainder = (writes: Writes) => Promise<unknown>

const remainders = shared('domain.remainders', () => new WeakMap<Error, Remainder>())

/**
 * Gives an error that a step is about to throw what is to be written once the write that it ends is undone, and answers the
 * error. It is written before anybody hears of the error: in what is left of the transaction, where the write alone was
 * undone, or in one of its own. Where that fails, its failure is heard in place of the error.
 */
export function afterRollback<E extends Error>(error: E, remainder: Remainder): E {
  remainders.set(error, remainder)
  return error
}

/** What is to be written after an error; undefined: nothing. */
export const remainderOf = (error: unknown): Remainder | undefined =>
  error instanceof Error ? remainders.get(error) : undefined
