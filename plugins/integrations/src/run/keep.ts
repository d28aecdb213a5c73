import type { Condition, Row, Transaction } from '@svc/store/contract'
import { RUN, type RunStatus } from '../tables/runs.ts'
import { sealWork } from './kept-work.ts'
import type { Setting } from './means.ts'
import type { Run } from './run.ts'

export const moment = (ms: number): string => new Date(ms).toISOString()

export const runIs = (id: string): Condition => ({ op: 'eq', column: RUN.id, value: id })

/** Writes a run down, in the transaction of what sets it off. */
export async function insertRun(
  run: Run,
  status: RunStatus,
  transaction: Transaction,
  { tables, parts }: Pick<Setting, 'tables' | 'parts'>,
): Promise<void> {
  const { id, integration, operation, triggeredBy, actor, resource, recordId } = run
  const { depth, chain, attempts, letter } = run
  await transaction.append({
    table: tables.runs,
    values: {
      id,
      integration: integration.name,
      operation: operation.name,
      status,
      triggeredBy,
      actor: actor && { ...actor },
      resource,
      recordId,
      work: sealWork(run, parts.kept),
      depth,
      chain,
      attempts,
      nextAt: null,
      responseStatus: null,
      result: null,
      error: null,
      deadLetter: letter ?? null,
      at: moment(parts.env.now()),
      endedAt: null,
    },
  })
}

export const updateRun = async (
  id: string,
  set: Row,
  transaction: Transaction,
  { tables }: Pick<Setting, 'tables'>,
): Promise<boolean> => (await transaction.update({ table: tables.runs, set, where: runIs(id) })).count > 0

/** The lane of a run: those about one record leave in the order in which they were set off. */
export const laneOf = ({ id, integration, resource, recordId }: Run, { model }: Pick<Setting, 'model'>) =>
  recordId === null ? id : `${model.name} ${integration.name} ${resource ?? ''} ${recordId}`

/** Leaves a run that is new to durable work, from a moment on. */
export async function putWork(
  run: Run,
  at: number,
  transaction: Transaction,
  { model, parts }: Pick<Setting, 'model' | 'parts'>,
): Promise<void> {
  const lane = run.isByHand ? run.id : laneOf(run, { model })
  const job = { domain: model.name, run: run.id, lane }
  await parts.jobs().put(transaction, job, { key: run.id, at: moment(at) })
}

/** Leaves a run to durable work; whoever had it to do before does not any more. */
export async function handOver(
  run: Run,
  at: number,
  transaction: Transaction,
  means: Pick<Setting, 'model' | 'parts'>,
): Promise<void> {
  await means.parts.jobs().cancel(transaction, run.id)
  await putWork(run, at, transaction, means)
}
