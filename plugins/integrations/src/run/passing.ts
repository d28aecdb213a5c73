import { passOverKept } from '@svc/automation/contract'
import type { AppError } from '@svc/kernel'
import type { Doer } from './doer.ts'
import { end } from './end.ts'
import { reopenLetter } from './letters.ts'
import type { Means } from './means.ts'
import { type Ended, type Run, SKIPPED } from './run.ts'

/**
 * Ends a run about a record that what runs by itself passes over by now, before anything leaves; undefined where it goes on. A dead letter
 * that it tried again waits for somebody to try it later.
 */
export async function endPassedOver(run: Run, doer: Doer, means: Means): Promise<Ended | undefined> {
  const { resource, recordId, integration, operation, letter } = run
  const by = { kind: 'integration', name: `${integration.name}.${operation.name}` }
  const { data, parts, model } = means
  const why: AppError | undefined = await passOverKept(
    { by, resource, recordId },
    model,
    data.reader,
    parts.log,
  )
  if (why === undefined) return undefined
  const ended: Ended = { ...SKIPPED, attempts: run.attempts, error: why, letter: letter ?? null }
  const settling: Doer = {
    ...doer,
    async complete(transaction) {
      if (letter !== undefined) await reopenLetter(letter, transaction, means)
      await doer.complete(transaction)
    },
  }
  return end(run, ended, undefined, settling, means)
}
