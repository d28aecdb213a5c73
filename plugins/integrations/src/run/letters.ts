import { failureOf } from '@svc/automation/contract'
import { Increment, type Transaction } from '@svc/store/contract'
import { LETTER } from '../tables/dead-letters.ts'
import type { Run } from './run.ts'
import { moment } from './keep.ts'
import { sealWork } from './kept-work.ts'
import type { Setting } from './means.ts'
import { tell } from './notices.ts'

/** Takes a run down that has failed for good: a new dead letter, or one more vain retry of the one that it came from. */
export async function enterLetter(
  run: Run,
  error: unknown,
  transaction: Transaction,
  setting: Setting,
): Promise<string | null> {
  const { tables, parts } = setting
  const { integration } = run
  const policy = integration.resilience.deadLetter
  const { code, message } = failureOf(error)
  const told = { code, message: parts.redaction.text(message) }
  const now = moment(parts.env.now())
  if (run.letter !== undefined) {
    const { rows } = await transaction.update({
      table: tables.letters,
      set: {
        error: told,
        retries: new Increment(1),
        attempts: new Increment(run.attempts),
        updatedAt: now,
        work: sealWork(run, parts.kept),
      },
      where: letterIs(run.letter),
      returning: [LETTER.retries],
    })
    const isOver = policy === undefined || Number(rows[0]?.['retries'] ?? 0) >= policy.maxRetries
    const status = isOver ? 'exhausted' : 'pending'
    await transaction.update({ table: tables.letters, set: { status }, where: letterIs(run.letter) })
    if (isOver) await tell('exhausted', run, { id: run.letter, error: told }, transaction, setting)
    return run.letter
  }
  if (policy === undefined) return null
  const id = parts.newId()
  const isOver = policy.maxRetries === 0
  await transaction.insert({
    table: tables.letters,
    values: {
      id,
      integration: integration.name,
      operation: run.operation.name || null,
      direction: run.operation.direction,
      status: isOver ? 'exhausted' : 'pending',
      resource: run.resource,
      recordId: run.recordId,
      runId: run.id,
      work: sealWork(run, parts.kept),
      error: told,
      attempts: run.attempts,
      retries: 0,
      depth: run.depth,
      createdAt: now,
      updatedAt: now,
      retriedAt: null,
    },
  })
  await tell('added', run, { id, error: told }, transaction, setting)
  if (isOver) await tell('exhausted', run, { id, error: told }, transaction, setting)
  return id
}

/** Notes that the run of a dead letter went well. */
export async function settleLetter(
  letter: string,
  transaction: Transaction,
  { tables, parts }: Setting,
): Promise<void> {
  const now = moment(parts.env.now())
  await transaction.update({
    table: tables.letters,
    set: { status: 'retried', updatedAt: now, retriedAt: now },
    where: letterIs(letter),
  })
}

/** Notes that the run of a dead letter did nothing: it may be tried again. */
export async function reopenLetter(
  letter: string,
  transaction: Transaction,
  { tables, parts }: Setting,
): Promise<void> {
  const set = { status: 'pending', updatedAt: moment(parts.env.now()), retriedAt: null }
  await transaction.update({ table: tables.letters, set, where: letterIs(letter) })
}

export const letterIs = (id: string) => ({ op: 'eq' as const, column: LETTER.id, value: id })
