import { evaluationOfFacts, kebabCase, type Writes } from '@svc/domain/contract'
import { entering } from '@svc/files/contract'
import { AppError, type Caller } from '@svc/kernel'
import type { Reader, Row, Transaction } from '@svc/store/contract'
import type { WriteContext, Writing } from '../write/writing.ts'
import { integrationErrors } from '../errors.ts'
import type { Attempted } from './attempted.ts'
import type { Doer } from './doer.ts'
import { failedError } from './failed.ts'
import { moment, updateRun } from './keep.ts'
import { enterLetter, settleLetter } from './letters.ts'
import { logAttempt } from './log-entry.ts'
import type { Means } from './means.ts'
import { announce } from './notices.ts'
import { originOf } from './origin.ts'
import { sealResult } from './result.ts'
import type { Ended, Run } from './run.ts'
import { writerOf } from './writer.ts'

/** Writes what came back, and that it did. */
export async function succeed(run: Run, attempted: Attempted, doer: Doer, means: Means): Promise<Ended> {
  const { writing } = run.operation
  if (writing === undefined) return end(run, succeeded(run, attempted, [], means), attempted, doer, means)
  const as = await writerOf(run.integration, means.parts)
  // A transaction that waited for another connection could wait for one that waits for its own.
  if (writing.isFinding)
    await writing.prepare(await contextOf(run, attempted, writing, means.data.reader), run.finds)
  const { brought } = attempted
  const write = (begins: () => void) =>
    means.data.write(
      { caller: as },
      (writes) => {
        begins()
        return writeSuccess({ run, attempted, doer, writing }, as, writes, means)
      },
      { depth: run.depth, origin: originOf(run) },
    )
  return brought === undefined ? write(() => undefined) : entering(brought, write)
}

/** A run that went well, with what it writes. */
interface Success {
  readonly run: Run
  readonly attempted: Attempted
  readonly doer: Doer
  readonly writing: Writing
}

/** The same for several runs of one operation that are about no record, one after the other in one transaction: for all, or it throws. */
export async function succeedTogether(all: readonly Success[], means: Means): Promise<readonly Ended[]> {
  const [first] = all
  if (first === undefined) return []
  const as = await writerOf(first.run.integration, means.parts)
  return means.data.write(
    { caller: as },
    async (writes) => {
      const ends: Ended[] = []
      for (const one of all) ends.push(await writeSuccess(one, as, writes, means))
      return ends
    },
    { depth: first.run.depth, origin: originOf(first.run) },
  )
}

async function writeSuccess(
  { run, attempted, doer, writing }: Success,
  as: Caller,
  writes: Writes,
  means: Means,
): Promise<Ended> {
  await doer.begin?.(writes)
  await attempted.brought?.enter(writes, as)
  const context = await contextOf(run, attempted, writing, writes)
  const { written, mapped } = await writing.apply(context, run.finds, writes, as)
  const told = written.map((one) => ({ ...one }))
  const ended: Ended = { ...succeeded(run, attempted, told, means), mapped }
  await writeEnd(run, ended, attempted, doer, writes, means)
  return ended
}

const succeeded = (
  { attempts, letter }: Run,
  { status, response, told }: Attempted,
  written: readonly Row[],
  { parts }: Means,
): Ended => ({
  status: 'succeeded',
  attempts,
  responseStatus: status,
  // What only whoever asked may have goes to nobody else.
  response: told === undefined ? parts.redaction.json(response) : response,
  isSecret: told !== undefined,
  written,
  error: undefined,
  letter: letter ?? null,
})

/** What the writes of a run find. */
async function contextOf(
  { facts, operation, built }: Run,
  attempted: Attempted,
  { expressions }: Writing,
  reader: Reader,
): Promise<WriteContext> {
  const context = await evaluationOfFacts(facts, expressions, reader)
  const answered = built ? operation.answered(built.message, attempted) : {}
  const key = operation.resource && facts.record?.[operation.resource.key.name]
  return { ...context, variables: { ...context.variables, ...answered }, key: key ?? undefined }
}

/** Writes that a run is over. */
export async function end(
  run: Run,
  ended: Ended,
  attempted: Attempted | undefined,
  doer: Doer,
  means: Means,
): Promise<Ended> {
  await means.parts.store.transaction((transaction) =>
    writeEnd(run, ended, attempted, doer, transaction, means),
  )
  return ended
}

async function writeEnd(
  run: Run,
  ended: Ended,
  attempted: Attempted | undefined,
  doer: Doer,
  transaction: Transaction,
  means: Means,
): Promise<void> {
  const { status, responseStatus, letter } = ended
  if (run.isKept)
    await updateRun(
      run.id,
      {
        status,
        attempts: run.attempts,
        nextAt: null,
        responseStatus,
        result: sealResult(
          attempted?.told === undefined ? ended : { ...ended, response: attempted.told },
          means,
        ),
        error: ended.error ? { code: ended.error.code, message: ended.error.message } : null,
        deadLetter: letter,
        endedAt: moment(means.parts.env.now()),
      },
      transaction,
      means,
    )
  if (attempted !== undefined) await logAttempt(run, attempted, transaction, means)
  if (run.letter !== undefined && status !== 'failed') await settleLetter(run.letter, transaction, means)
  transaction.afterCommit(() => announceEnd(run, ended, means))
  await doer.complete(transaction)
}

function announceEnd(run: Run, { status, attempts, error }: Ended, means: Means): void {
  if (status === 'skipped') return
  const { id: runId, operation, integration, resource, recordId } = run
  const facts: Row = {
    runId,
    operation: operation.name,
    attempts,
    resource,
    recordId,
    error: error ? { code: error.code, message: error.message } : null,
  }
  announce(integration, `${kebabCase(operation.name || 'received')}.${status}`, facts, means)
}

/** Ends a run that has failed for good. */
export async function fail(
  run: Run,
  own: AppError | undefined,
  attempted: Attempted | undefined,
  doer: Doer,
  means: Means,
): Promise<Ended> {
  const { parts } = means
  return parts.store.transaction(async (transaction) => {
    await doer.begin?.(transaction)
    const status = attempted?.status ?? null
    const about = { runId: run.id, attempts: run.attempts, status }
    const failure = attempted?.failure
    const reason = own ?? (failure ? failedError(failure, { ...about, deadLetterId: null }) : undefined)
    const letter = await enterLetter(run, reason, transaction, means)
    if (letter === null) await doer.forget?.(transaction)
    const data = { ...about, deadLetterId: letter }
    const error =
      own === undefined
        ? failure && failedError(failure, data)
        : new AppError(own.code, own.status, own.message, { ...own.detail, data: { ...data } })
    const ended: Ended = {
      status: 'failed',
      attempts: run.attempts,
      responseStatus: status,
      response: null,
      written: [],
      error: error ?? integrationErrors.UPSTREAM_FAILED({ data: { ...data } }),
      letter,
    }
    const isLimited = own?.code === 'RATE_LIMITED'
    await writeEnd(run, ended, isLimited ? undefined : attempted, doer, transaction, means)
    return ended
  })
}
