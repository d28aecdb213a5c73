import { isOutOfReach } from '@svc/automation/contract'
import { evaluationOfFacts, kebabCase } from '@svc/domain/contract'
import { AppError, errors } from '@svc/kernel'
import type { Row, Transaction, Value } from '@svc/store/contract'
import { USUAL_RETRY } from '../policies.ts'
import { integrationErrors } from '../errors.ts'
import type { Passage } from '../gates/breaker.ts'
import type { Asked } from '../wire/asked.ts'
import type { Built } from '../wire/message.ts'
import type { Attempted, AttemptFailure } from './attempted.ts'
import { failedError } from './failed.ts'
import { moment, updateRun } from './keep.ts'
import { sealWork } from './kept-work.ts'
import { enterLetter, settleLetter } from './letters.ts'
import { logAttempt } from './log-entry.ts'
import type { Means } from './means.ts'
import { announce } from './notices.ts'
import { isTrouble, pauseAfter } from './pause.ts'
import { writerOf } from './writer.ts'
import { sealResult } from './result.ts'
import { type Ended, type Run, SKIPPED, type Step } from './run.ts'

/** Who does a run: how long it may be kept waiting, and what else is written when it is over. */
export interface Doer {
  readonly signal: AbortSignal
  /** How long a token of the limiter is waited for here, in milliseconds. */
  patienceMs(): number
  /** What else has to be there for the end to count, first in its transaction; it throws where it is not. */
  begin?(transaction: Transaction): Promise<void>
  /** Marks the durable work as done, in the transaction of the end. */
  complete(transaction: Transaction): Promise<void>
}

/** What came of an attempt, or of the limiter in its place. */
interface Tried {
  readonly attempted: Attempted
  /** A failure that has an error of its own, such as a write that was refused. */
  readonly error?: AppError
}

/** Takes a run one step further. Throws what nobody foresaw, and UNAVAILABLE where the store is out of reach. */
export async function takeStep(run: Run, doer: Doer, means: Means): Promise<Step> {
  const built = await builtOf(run, means, doer)
  if (built === undefined) return { over: await end(run, SKIPPED, undefined, doer, means) }
  if (built instanceof AppError) return { over: await fail(run, built, undefined, doer, means) }
  if (run.operation.direction === 'inbound') {
    run.attempts += 1
    return settled(run, await run.operation.attempt(built.message, askedOf(run, means, doer)), doer, means)
  }
  const { breaker } = means.gates(run.integration)
  const passage: Passage = (await breaker?.enter(run.id)) ?? 'through'
  if (typeof passage === 'object') return { waitMs: passage.waitMs, reason: 'breaker' }
  const limited = await limit(run, doer, means)
  if (limited !== undefined) await breaker?.gaveUp(passage)
  if (limited !== undefined && 'waitMs' in limited) return { waitMs: limited.waitMs, reason: 'limit' }
  run.attempts += 1
  if (limited !== undefined) return afterFailure(run, limited, doer, means)
  const attempted = await attemptOf(run, built, passage, doer, means)
  return settled(run, attempted, doer, means)
}

/** What follows an attempt: the end, or another one. */
async function settled(run: Run, attempted: Attempted, doer: Doer, means: Means): Promise<Step> {
  if (attempted.failure !== undefined) return afterFailure(run, { attempted }, doer, means)
  try {
    return { over: await succeed(run, attempted, doer, means) }
  } catch (error) {
    if (!(error instanceof AppError) || isOutOfReach(error) || run.operation.writing === undefined)
      throw error
    // What came back could not be written: that is tried again where `retryOn` says so.
    const failure: AttemptFailure = { kind: 'condition', message: error.message, mayHaveArrived: true }
    return afterFailure(run, { attempted: { ...attempted, failure }, error }, doer, means)
  }
}

const askedOf = (
  { id: runId, facts, finds }: Run,
  { data }: Means,
  { signal }: Pick<Doer, 'signal'>,
): Asked => ({
  runId,
  facts,
  finds,
  reader: data.reader,
  signal,
})

/** What is sent: made once, and kept before it leaves. What cannot be made is answered as its error. */
async function builtOf(run: Run, means: Means, { signal }: Doer): Promise<Built | AppError | undefined> {
  if (run.built !== undefined) return run.built
  try {
    run.built = await run.operation.build(askedOf(run, means, { signal }))
  } catch (error) {
    if (error instanceof AppError && !isOutOfReach(error)) return error
    throw error
  }
  const { built } = run
  if (built === undefined || !run.isKept) return built
  await means.parts.store.transaction(async (transaction) => {
    const set = { status: 'running', work: sealWork(run, means.parts.kept) }
    await updateRun(run.id, set, transaction, means)
  })
  return built
}

/** What the limiter makes of an attempt: nothing, a wait, or a failure in its place. */
async function limit(
  run: Run,
  { patienceMs, signal }: Doer,
  means: Means,
): Promise<{ readonly waitMs: number } | Tried | undefined> {
  const gates = means.gates(run.integration)
  const { limit: policy } = run.integration.resilience
  if (gates.limiter === undefined || policy === undefined) return undefined
  const isQueue = policy.onExceeded === 'queue'
  const isFull = run.isByHand && gates.waiting >= MOST_WAITING
  const { isTaken, waitMs } = await gates.limiter.take(isQueue && !isFull ? patienceMs() : 0)
  if (isTaken) {
    if (waitMs > 0) {
      gates.waiting += 1
      await pause(waitMs, signal).finally(() => (gates.waiting -= 1))
    }
    return undefined
  }
  if (isQueue && !run.isByHand) return { waitMs }
  gates.rejected += 1
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)))
  const message = `The integration '${run.integration.name}' sends ${policy.requestsPerSecond} a second at most: wait and try again`
  const error = errors.RATE_LIMITED({ message, headers: { 'Retry-After': seconds } })
  if (run.isByHand && policy.onExceeded !== 'backoff') throw error
  const failure: AttemptFailure = {
    kind: 'status',
    message,
    mayHaveArrived: false,
    afterMs: Math.ceil(waitMs),
  }
  return { attempted: { status: 429, headers: {}, response: null, durationMs: 0, failure }, error }
}

/** How many wait by hand for a token in one process. */
const MOST_WAITING = 100

async function attemptOf(
  run: Run,
  { message }: Built,
  passage: Passage,
  { signal }: Doer,
  means: Means,
): Promise<Attempted> {
  const { breaker } = means.gates(run.integration)
  try {
    const attempted = await run.operation.attempt(message, askedOf(run, means, { signal }))
    const { failure, status } = attempted
    if (failure === undefined) await breaker?.succeeded(passage)
    else if (failure.kind === 'cancelled' || failure.kind === 'refused') await breaker?.gaveUp(passage)
    else if (isTrouble({ kind: failure.kind, status })) await breaker?.failed(passage)
    else await breaker?.succeeded(passage)
    if (failure?.kind === 'cancelled') throw signal.aborted ? signal.reason : errors.UNAVAILABLE()
    return attempted
  } catch (error) {
    await breaker?.gaveUp(passage)
    throw error
  }
}

/** Writes what came back, and that it did. */
async function succeed(run: Run, attempted: Attempted, doer: Doer, means: Means): Promise<Ended> {
  const { status, response } = attempted
  const ended: Omit<Ended, 'written'> = {
    status: 'succeeded',
    attempts: run.attempts,
    responseStatus: status,
    response: means.parts.redaction.json(response),
    error: undefined,
    letter: run.letter ?? null,
  }
  const { writing } = run.operation
  if (writing === undefined) return end(run, { ...ended, written: [] }, attempted, doer, means)
  const as = await writerOf(run.integration, means.parts)
  return means.data.write(
    { caller: as },
    async (writes) => {
      await doer.begin?.(writes)
      const { facts, operation, built } = run
      const context = await evaluationOfFacts(facts, writing.expressions, writes)
      const answered = built ? operation.answered(built.message, attempted) : {}
      const variables = { ...context.variables, ...answered }
      const key = operation.resource && facts.record?.[operation.resource.key.name]
      const written = await writing.apply(
        { ...context, variables, key: key ?? undefined },
        run.finds,
        writes,
        as,
      )
      const all: Ended = { ...ended, written: written.map((one) => ({ ...one })) }
      await writeEnd(run, all, attempted, doer, writes, means)
      return all
    },
    { depth: run.depth, origin: originOf(run) },
  )
}

/** What the writes of a run say that they come of: the operation, its record, and how many runs led there. */
export const originOf = ({ integration, operation, recordId, chain }: Run): string =>
  JSON.stringify(['integration', integration.name, operation.name, recordId, chain])

/** Writes that a run is over. */
async function end(
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
        result: sealResult(ended, means),
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

/** Another attempt after a while, or the end. */
async function afterFailure(run: Run, { attempted, error }: Tried, doer: Doer, means: Means): Promise<Step> {
  const { failure, status } = attempted
  if (failure === undefined) throw new Error('what has not failed is not tried again')
  const { parts } = means
  const [chance = 0] = parts.env.randomBytes(1)
  const isLimited = error?.code === 'RATE_LIMITED'
  const { limit: limits } = run.integration.resilience
  const usual = isLimited && limits?.onExceeded === 'backoff' ? USUAL_RETRY : undefined
  const policy = run.operation.retry ?? usual
  const { isRepeatable } = run.operation
  const ms =
    failure.kind === 'refused'
      ? undefined
      : pauseAfter({ ...failure, status }, run.attempts, policy, { isRepeatable, chance: chance / 255 })
  if (ms === undefined) return { over: await fail(run, error, attempted, doer, means) }
  await parts.store.transaction(async (transaction) => {
    if (run.isKept) {
      const told = { code: codeOf(failure, error), message: parts.redaction.text(failure.message) }
      const nextAt = moment(parts.env.now() + ms)
      const set = { attempts: run.attempts, nextAt, error: told, status: 'queued' }
      await updateRun(run.id, set, transaction, means)
    }
    if (!isLimited) await logAttempt(run, attempted, transaction, means)
  })
  return { waitMs: ms, reason: 'retry' }
}

const codeOf = (failure: AttemptFailure, error: AppError | undefined): string =>
  error?.code ??
  (failure.kind === 'timeout'
    ? 'UPSTREAM_TIMEOUT'
    : failure.kind === 'refused'
      ? 'ADDRESS_REFUSED'
      : 'UPSTREAM_FAILED')

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
    const data = { ...about, deadLetterId: letter }
    const error =
      own === undefined
        ? failure && failedError(failure, data)
        : new AppError(own.code, own.status, own.message, { ...own.detail, data: { ...data } })
    const response: Value = null
    const ended: Ended = {
      status: 'failed',
      attempts: run.attempts,
      responseStatus: status,
      response,
      written: [],
      error: error ?? integrationErrors.UPSTREAM_FAILED({ data: { ...data } }),
      letter,
    }
    const isLimited = own?.code === 'RATE_LIMITED'
    await writeEnd(run, ended, isLimited ? undefined : attempted, doer, transaction, means)
    return ended
  })
}

/** Waits; throws the reason of a signal that is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const ended = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', ended)
      resolve()
    }, ms)
    if (signal.aborted) ended()
    else signal.addEventListener('abort', ended, { once: true })
  })
