import { errors, Warnings } from '@svc/kernel'
import type { Asker } from '../contract/data.ts'
import { domainErrors } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import { findKept, type Mark, Taken } from '../write/idempotency.ts'
import { noteReplayed } from '../write/replayed.ts'

/**
 * What a work that is marked has answered, be it a moment ago on another server; else what `run` answers, which takes
 * the mark in its transaction.
 */
export async function answeredOnce<T>(
  mark: Mark,
  runtime: Runtime,
  asker: Asker,
  run: () => Promise<T>,
): Promise<T> {
  const kept = await answered<T>(mark, runtime, asker)
  if (kept !== undefined) return kept.data
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Taken)) throw error
    const meanwhile = await answered<T>(mark, runtime, asker)
    if (meanwhile === undefined) throw errors.CONFLICT({ message: 'The same is still running: try again' })
    return meanwhile.data
  }
}

async function answered<T>(mark: Mark, { store, env }: Runtime, asker: Asker) {
  const kept = await findKept(mark, store, env.now())
  if (kept === undefined) return undefined
  if (kept.body !== mark.body) throw domainErrors.IDEMPOTENCY_MISMATCH()
  noteReplayed(asker)
  if (asker.warn) Warnings.of(kept.warnings, kept.more ?? 0).repeat(asker.warn)
  // What a work of this mark has answered, as JSON.
  return { data: kept.data as T }
}
