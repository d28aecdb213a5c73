import { errors } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import { pause, takeStep } from './course.ts'
import type { Doer } from './doer.ts'
import { fail } from './end.ts'
import { integrationErrors } from '../errors.ts'
import { handOver, insertRun, moment, putWork, runIs, updateRun } from './keep.ts'
import { letterIs } from './letters.ts'
import type { Means } from './means.ts'
import type { Ended, Run } from './run.ts'

/** How long an answer waits for the end of a run, in milliseconds. */
const PATIENCE_MS = 25_000
/** How long beyond that and one attempt nobody has heard of a run whose server is taken for dead, in milliseconds. */
const GRACE_MS = 5000

/** What became of a run while somebody waited: its end, or that it goes on. */
export type Told = { readonly over: Ended } | { readonly status: 'queued' | 'running' }

/** How a run is done by hand. */
export interface ByHand {
  /** Nobody waits for its end. */
  readonly isAsync: boolean
  readonly signal: AbortSignal
  /** What is written with the row of the run, before anything is sent. */
  readonly first?: (transaction: Transaction) => Promise<void>
}

/**
 * Does a run for somebody who waits. It is a row before its first byte leaves, with a job that takes it over should this server die;
 * what only reads becomes one if it takes too long. Throws CIRCUIT_OPEN and RATE_LIMITED where nothing is sent.
 */
export async function doByHand(run: Run, byHand: ByHand, means: Means): Promise<Told> {
  const { parts, model } = means
  const { store, env } = parts
  const until = performance.now() + PATIENCE_MS
  const left = () => Math.max(0, until - performance.now())
  await assertOpen(run, means)
  const keep = async (at: number, status: 'queued' | 'running') => {
    await store.transaction(async (transaction) => {
      await byHand.first?.(transaction)
      if (run.isKept) {
        await updateRun(run.id, { status }, transaction, means)
        return handOver(run, at, transaction, means)
      }
      await insertRun(run, status, transaction, means)
      await putWork(run, at, transaction, means)
    })
    run.isKept = true
  }
  const guard = () => env.now() + PATIENCE_MS + run.operation.timeoutMs + GRACE_MS
  if (byHand.isAsync) {
    await keep(env.now(), 'queued')
    return { status: 'queued' }
  }
  if (!run.operation.isRead || byHand.first !== undefined) await keep(guard(), 'running')
  const doer: Doer = {
    signal: byHand.signal,
    patienceMs: left,
    async complete(transaction) {
      if (run.isKept) await parts.jobs().cancel(transaction, run.id)
    },
  }
  const driven = drive(run, doer, left, means)
  const late = new AbortController()
  const isLate = pause(PATIENCE_MS, late.signal).then(
    () => 'late' as const,
    () => 'late' as const,
  )
  const first = await Promise.race([driven, isLate]).finally(() => late.abort())
  if (first !== 'late') return first
  // It goes on; what comes of it is told by its row.
  if (!run.isKept) await keep(guard(), 'running')
  driven.catch((err: unknown) =>
    parts.log.warn({ domain: model.name, run: run.id, err }, 'integrations.run_left'),
  )
  return { status: 'running' }
}

/** Takes step after step, up to the end, or until somebody else has to go on. */
async function drive(run: Run, doer: Doer, left: () => number, means: Means): Promise<Told> {
  try {
    for (;;) {
      const step = await takeStep(run, doer, means)
      if ('over' in step) return step
      const { waitMs, reason } = step
      if (reason === 'breaker') {
        const error = circuitOpen(run, waitMs)
        if (run.attempts === 0) throw error
        return { over: await fail(run, error, undefined, doer, means) }
      }
      if (reason === 'limit' && !run.isKept) throw errors.RATE_LIMITED()
      if (waitMs > left() && run.isKept) return await leave(run, waitMs, means)
      await pause(waitMs, doer.signal)
    }
  } catch (error) {
    // Nothing was sent.
    if (run.attempts === 0 && run.isKept) await forget(run, means)
    throw error
  }
}

async function leave(run: Run, waitMs: number, means: Means): Promise<Told> {
  const { parts } = means
  const at = parts.env.now() + waitMs
  await parts.store.transaction(async (transaction) => {
    await updateRun(run.id, { status: 'queued', nextAt: moment(at) }, transaction, means)
    await handOver(run, at, transaction, means)
  })
  return { status: 'queued' }
}

/** Takes back that a run was begun: a new one was none, and a dead letter is what it was. */
const forget = (run: Run, means: Means): Promise<void> =>
  means.parts.store.transaction(async (transaction) => {
    const { parts, tables } = means
    if (run.letter === undefined) await transaction.remove({ table: tables.runs, where: runIs(run.id) })
    else {
      await updateRun(run.id, { status: 'failed', endedAt: moment(parts.env.now()) }, transaction, means)
      await transaction.update({
        table: tables.letters,
        set: { status: 'pending' },
        where: letterIs(run.letter),
      })
    }
    await parts.jobs().cancel(transaction, run.id)
  })

/** Throws CIRCUIT_OPEN where nothing is sent for now. */
async function assertOpen(run: Run, means: Means): Promise<void> {
  const { breaker } = means.gates(run.integration)
  const waitMs = (await breaker?.closedFor()) ?? 0
  if (waitMs > 0) throw circuitOpen(run, waitMs)
}

const circuitOpen = ({ integration }: Run, waitMs: number) =>
  integrationErrors.CIRCUIT_OPEN({
    message: `Nothing is sent to '${integration.name}' for now: it has failed too often`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  })
