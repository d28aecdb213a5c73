import { isOutOfReach } from '@svc/automation/contract'
import { AppError, errors } from '@svc/kernel'
import { USUAL_RETRY } from '../policies.ts'
import type { Passage } from '../gates/breaker.ts'
import type { Asked } from '../wire/asked.ts'
import type { Built } from '../wire/message.ts'
import type { Attempted, AttemptFailure } from './attempted.ts'
import type { Doer } from './doer.ts'
import { end, fail, succeed, succeedTogether } from './end.ts'
import { moment, updateRun } from './keep.ts'
import { sealWork } from './kept-work.ts'
import { logAttempt } from './log-entry.ts'
import type { Means } from './means.ts'
import { isTrouble, pauseAfter } from './pause.ts'
import { endPassedOver } from './passing.ts'
import { type Ended, type Run, SKIPPED, type Step } from './run.ts'

/** What came of an attempt, or of the limiter in its place. */
interface Tried {
  readonly attempted: Attempted
  /** A failure that has an error of its own, such as a write that was refused. */
  readonly error?: AppError
}

/** Takes a run one step further. Throws what nobody foresaw, and UNAVAILABLE where the store is out of reach. */
export async function takeStep(run: Run, doer: Doer, means: Means): Promise<Step> {
  const passed = await endPassedOver(run, doer, means)
  if (passed !== undefined) return { over: passed }
  const built = await builtOf(run, means, doer)
  if (built === undefined) return { over: await end(run, SKIPPED, undefined, doer, means) }
  if (built instanceof AppError) return { over: await fail(run, built, undefined, doer, means) }
  if (run.operation.direction === 'inbound') {
    run.attempts += 1
    return settled(run, await run.operation.attempt(built.message, askedOf(run, means, doer)), doer, means)
  }
  if ((await run.operation.isConnected?.()) === false) return unconnected(run)
  const { breaker } = means.gates(run.integration)
  const passage: Passage = (await breaker?.enter(run.id)) ?? 'through'
  if (typeof passage === 'object') return { waitMs: passage.waitMs, reason: 'breaker' }
  const limited = await limit(run, doer, means)
  if (limited !== undefined) await breaker?.gaveUp(passage)
  if (limited !== undefined && 'waitMs' in limited) return { waitMs: limited.waitMs, reason: 'limit' }
  run.attempts += 1
  if (limited !== undefined) return afterFailure(run, limited, doer, means)
  const attempted = await attemptOf(run, built, passage, doer, means)
  // The other side has ended the connection: nothing was sent.
  if (attempted.failure !== undefined && (await run.operation.isConnected?.()) === false) {
    run.attempts -= 1
    return unconnected(run)
  }
  return settled(run, attempted, doer, means)
}

/**
 * Takes the one step of several runs that came in by one operation, in one transaction and in their order. Where something is in the
 * way of one it throws, and none of them has taken effect.
 */
export async function takeTogether(
  all: readonly { readonly run: Run; readonly doer: Doer }[],
  means: Means,
): Promise<readonly Ended[]> {
  const steps = []
  for (const { run, doer } of all) {
    const { built, operation } = run
    if (built === undefined || operation.writing === undefined)
      throw new Error('only what has come in and is written is taken together')
    run.attempts += 1
    const attempted = await operation.attempt(built.message, askedOf(run, means, doer))
    steps.push({ run, doer, attempted, writing: operation.writing })
  }
  return succeedTogether(steps, means)
}

/** How long a run waits before it looks again whether somebody has consented, in milliseconds. */
const UNCONNECTED_MS = 30_000

/** What was set off waits until somebody consents; by hand it is said. */
function unconnected({ isByHand, integration: { name } }: Run): Step {
  if (!isByHand) return { waitMs: UNCONNECTED_MS, reason: 'connection' }
  throw errors.CONFLICT({
    message: `The integration '${name}' is not connected: let somebody who manages it connect it`,
  })
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
    if (attempted.isOnce) return { over: await fail(run, error, attempted, doer, means) }
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
    else if (isTrouble({ kind: failure.kind, status: failure.counts ?? status }))
      await breaker?.failed(passage)
    else await breaker?.succeeded(passage)
    if (failure?.kind === 'cancelled') throw signal.aborted ? signal.reason : errors.UNAVAILABLE()
    return attempted
  } catch (error) {
    await breaker?.gaveUp(passage)
    throw error
  }
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
      : pauseAfter({ ...failure, status: failure.counts ?? status }, run.attempts, policy, {
          isRepeatable,
          chance: chance / 255,
        })
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
