import { isOutOfReach, OUT_OF_REACH_DELAYS_MS } from '@svc/automation/contract'
import { type JobKind, type Jobs, LeaseLost, Postponed, type Work } from '@svc/jobs/contract'
import { errors } from '@svc/kernel'
import type { Row, Transaction } from '@svc/store/contract'
import { takeStep } from './course.ts'
import type { Doer } from './doer.ts'
import { fail } from './end.ts'
import { type RunJob, RunJobPayload } from './job.ts'
import { moment, runIs, updateRun } from './keep.ts'
import { openWork } from './kept-work.ts'
import { operationOf } from '../integration.ts'
import type { Means } from './means.ts'
import type { Run } from './run.ts'
import { findsFor } from './writer.ts'

/** How long a run waits for what is not in force here, or switched off, in milliseconds. */
const NOT_IN_FORCE_MS = 1000
const SWITCHED_OFF_MS = 30_000
/** How long a worker waits for a token of a limiter before it lets others have its place, in milliseconds. */
const PATIENCE_MS = 500
/** How many runs may have set each other off. */
const LONGEST_CHAIN = 8
/** What has failed outside of an attempt is begun again for as long as a server may be out of order. */
const PATIENT_MS = [...OUT_OF_REACH_DELAYS_MS, ...Array.from({ length: 200 }, () => 600_000)]

/** Declares the durable work of runs; `open` has the domains in force on this server. */
export const declareRuns = (jobs: Jobs, open: ReadonlyMap<string, Means>, workers: number): JobKind<RunJob> =>
  jobs.kind('integrations.run', {
    payload: RunJobPayload,
    delaysMs: PATIENT_MS,
    workers,
    order: ({ lane }) => lane,
    run: (job, work) => perform(job, work, open),
  })

async function perform(job: RunJob, work: Work, open: ReadonlyMap<string, Means>): Promise<void> {
  const means = open.get(job.domain)
  if (means === undefined) throw new Postponed(`'${job.domain}' is not in force here`, NOT_IN_FORCE_MS)
  const { parts, tables, data } = means
  if (!parts.isEnabled) throw new Postponed('integrations are switched off here', SWITCHED_OFF_MS)
  const [row] = await data.reader.select({
    table: tables.runs,
    columns: tables.runs.columns,
    where: runIs(job.run),
    order: [],
  })
  if (row === undefined || row['endedAt'] !== null) return
  const wait = Date.parse(String(row['nextAt'] ?? '')) - parts.env.now()
  if (wait > 0) throw new Postponed('its time has not come', wait)
  const run = runOf(row, means)
  if (run === undefined) return work.commit((transaction) => drop(job.run, transaction, means))
  if (!run.integration.enabled) throw new Postponed('the integration is not in use', SWITCHED_OFF_MS)
  const doer: Doer = {
    signal: AbortSignal.any([work.signal, work.stopping]),
    patienceMs: () => PATIENCE_MS,
    complete: (transaction) => work.complete(transaction),
  }
  try {
    if (run.chain > LONGEST_CHAIN) return void (await fail(run, tooDeep(), undefined, doer, means))
    const step = await takeStep(run, doer, means)
    if ('waitMs' in step) throw new Postponed(`it waits for its ${step.reason}`, step.waitMs)
  } catch (error) {
    if (error instanceof Postponed || error instanceof LeaseLost || isOutOfReach(error)) throw error
    if (work.signal.aborted || work.stopping.aborted) throw error
    parts.log.error({ domain: job.domain, run: run.id, err: error }, 'integrations.run_failed')
    await fail(run, errors.INTERNAL_ERROR(), undefined, doer, means)
  }
}

const tooDeep = () =>
  errors.CONFLICT({ message: `${LONGEST_CHAIN} runs have set each other off before this one` })

/** Ends a run that nobody can do any more. */
async function drop(id: string, transaction: Transaction, means: Means): Promise<void> {
  const { code, message } = errors.NOT_FOUND({ message: 'The definition in force has no such operation' })
  const endedAt = moment(means.parts.env.now())
  await updateRun(id, { status: 'failed', error: { code, message }, endedAt }, transaction, means)
}

/** A run as its row has it, by the definition in force; undefined where that does not know it any more, or no key opens it. */
export function runOf(row: Row, { integrations, model, parts, data }: Means): Run | undefined {
  const id = String(row['id'])
  const integration = integrations.get(String(row['integration']))
  const operation = integration && operationOf(integration, String(row['operation']))
  if (integration === undefined || operation === undefined) return undefined
  const resource = text(row['resource'])
  const about = resource === null ? undefined : model.resources.get(resource)
  const made = openWork(row['work'], about, parts.kept)
  if (made === undefined) return undefined
  return {
    id,
    integration,
    operation,
    ...made,
    triggeredBy: String(row['triggeredBy']),
    actor: row['actor'] as unknown as Run['actor'],
    resource,
    recordId: text(row['recordId']),
    depth: Number(row['depth']),
    chain: Number(row['chain']),
    attempts: Number(row['attempts']),
    isByHand: false,
    isKept: true,
    finds: findsFor(integration, data, parts),
    letter: text(row['deadLetter']) ?? undefined,
  }
}

const text = (value: Row[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value)
