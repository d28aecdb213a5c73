import { StoreConflict } from '@svc/store/contract'
import type { Change } from './change.ts'

/** How often a work is begun in all. Each time one of those that want the same value gets it. */
const ATTEMPTS = 50

/** A value that the service had made up was taken by another transaction meanwhile. */
export class ValueTaken extends Error {
  constructor(refusal: unknown) {
    super('a value that was free is taken', { cause: refusal })
  }
}

/** Begins a work again where it was outrun; at last it is refused like any other that brings a value that is taken. */
export async function retryTaken<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ValueTaken)) throw error
      if (attempt === ATTEMPTS) throw error.cause
    }
  }
}

/** Whether a conflict is about a slug that was made inside the transaction, and could have been another. */
export const isAboutMadeSlug = (error: unknown, { resource, prepared }: Change): boolean =>
  error instanceof StoreConflict &&
  error.kind === 'unique' &&
  error.columns.some(
    (name) => resource.fields.get(name)?.from !== undefined && typeof prepared?.[name] !== 'string',
  )
