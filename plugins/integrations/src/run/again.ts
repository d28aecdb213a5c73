import { assertNotPassedOver } from '@svc/automation/contract'
import { type Call, errors } from '@svc/kernel'
import type { Row, Transaction } from '@svc/store/contract'
import { type Integration, operationOf } from '../integration.ts'
import { LETTER } from '../tables/dead-letters.ts'
import { setOffBy } from './actor.ts'
import { handOver, insertRun, moment, runIs } from './keep.ts'
import { openWork } from './kept-work.ts'
import { letterIs } from './letters.ts'
import type { Means, Setting } from './means.ts'
import type { Run } from './run.ts'
import { findsFor } from './writer.ts'

/** How many of them one request sets going again. */
const MOST = 1000
/** A run goes on, whoever has gone. */
const NEVER = new AbortController().signal

/** The run that tries a dead letter again: the same one, or a new one of the same facts. Throws CONFLICT. */
export async function runOfLetter(
  row: Row,
  integration: Integration,
  call: Call,
  isAnew: boolean,
  means: Means,
): Promise<Run> {
  const { model, parts, data, tables } = means
  if (row['status'] !== 'pending') throw notPending(String(row['status']))
  const operation = operationOf(integration, String(row['operation'] ?? ''))
  const resource = model.resources.get(String(row['resource']))
  const work = openWork(row['work'], resource, parts.kept)
  if (operation === undefined)
    throw errors.CONFLICT({ message: 'The definition in force has no such operation any more' })
  if (work === undefined)
    throw errors.CONFLICT({ message: 'No key opens it: see integrations.previous_encryption_keys' })
  if (!parts.isEnabled)
    throw errors.UNAVAILABLE({
      message: 'This server does no operations of integrations: they are switched off',
    })
  if (!integration.enabled)
    throw errors.CONFLICT({ message: `The integration '${integration.name}' is not in use` })
  if (resource !== undefined) await assertNotPassedOver(resource, row['recordId'] ?? null, data.reader)
  const text = (name: string) => (row[name] === null || row[name] === undefined ? null : String(row[name]))
  const id = isAnew ? parts.newId() : String(row['runId'])
  const finds = findsFor(integration, data, parts)
  const asked = { runId: id, facts: work.facts, reader: data.reader, signal: NEVER, finds }
  const isMapped = isAnew || operation.direction === 'inbound'
  const built = (isMapped ? undefined : work.built) ?? (await operation.build(asked))
  if (built === undefined) throw errors.CONFLICT({ message: "Nothing is to be sent: 'when' is false" })
  const isKept = !isAnew && (await data.reader.count({ table: tables.runs, where: runIs(id) })) > 0
  return {
    id,
    integration,
    operation,
    facts: work.facts,
    built,
    ...setOffBy('retry', call.caller),
    resource: text('resource'),
    recordId: text('recordId'),
    depth: Number(row['depth']),
    chain: 0,
    attempts: 0,
    isByHand: true,
    isKept,
    finds,
    letter: String(row['id']),
  }
}

/** Takes a dead letter for a retry: of several at once one has it. Throws CONFLICT. */
export async function claim(
  id: string,
  status: string,
  run: Run,
  transaction: Transaction,
  { tables, parts }: Setting,
): Promise<void> {
  const { count } = await transaction.update({
    table: tables.letters,
    set: { status: 'retrying', runId: run.id, updatedAt: moment(parts.env.now()) },
    where: {
      op: 'and',
      of: [letterIs(id), { op: 'eq', column: LETTER.status, value: 'pending' }],
    },
  })
  if (count === 0) throw notPending(status === 'pending' ? 'retrying' : status)
  if (run.isKept)
    await transaction.update({
      table: tables.runs,
      set: {
        attempts: 0,
        nextAt: null,
        endedAt: null,
        result: null,
        error: null,
        triggeredBy: run.triggeredBy,
        actor: run.actor && { ...run.actor },
        deadLetter: id,
      },
      where: runIs(run.id),
    })
}

export const notPending = (status: string) =>
  errors.CONFLICT({ message: `Only a dead letter that is pending is retried, and this one is ${status}` })

/** Sets dead letters going again, by durable work. */
export async function retryAll(
  integration: Integration,
  ids: readonly string[] | undefined,
  call: Call,
  means: Means,
): Promise<number> {
  const { tables, parts } = means
  const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
  const wanted = ids?.filter((id) => UUID.test(id)).map((id) => id.toLowerCase())
  const rows = await means.data.reader.select({
    table: tables.letters,
    columns: tables.letters.columns,
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: LETTER.integration, value: integration.name },
        { op: 'eq', column: LETTER.status, value: 'pending' },
        ...(wanted ? [{ op: 'in' as const, column: LETTER.id, values: wanted }] : []),
      ],
    },
    order: [LETTER.createdAt, LETTER.id].map((column) => ({ column, descending: false })),
    limit: MOST,
  })
  let queued = 0
  for (const row of rows) {
    const run = await runOfLetter(row, integration, call, false, means).catch(() => undefined)
    if (run === undefined) continue
    const isTaken = await parts.store
      .transaction(async (transaction) => {
        await claim(String(row['id']), 'pending', run, transaction, means)
        if (run.isKept)
          await transaction.update({ table: tables.runs, set: { status: 'queued' }, where: runIs(run.id) })
        else await insertRun(run, 'queued', transaction, means)
        await handOver(run, parts.env.now(), transaction, means)
        return true
      })
      .catch(() => false)
    if (isTaken) queued += 1
  }
  return queued
}
