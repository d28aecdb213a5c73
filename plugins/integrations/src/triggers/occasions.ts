import { waysLeftTo } from '@svc/domain/contract'
import { type JobKind, type Jobs, Postponed, type Work } from '@svc/jobs/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition, Row, Transaction, Value } from '@svc/store/contract'
import { z } from 'zod'
import type { Integration } from '../integration.ts'
import type { Operation } from '../operation.ts'
import { noFinds } from '../mapping/finds.ts'
import { insertRun, moment, putWork } from '../run/keep.ts'
import type { Means } from '../run/means.ts'
import type { Run } from '../run/run.ts'
import { OCCASION } from '../tables/occasions.ts'
import type { ScheduleTrigger } from './schedule.ts'

/** How many records are gone through in one transaction. */
const PORTION = 100
/** How long an occasion waits for a domain that is not in force here, in milliseconds. */
const NOT_IN_FORCE_MS = 1000

/** An occasion whose runs have to be put. */
const OccasionPayload = z.strictObject({
  domain: z.string(),
  id: z.string(),
  text: z.string(),
  /** The key behind which it goes on; null: from the first record on. */
  after: z.union([z.string(), z.number()]).nullable(),
})
type OccasionJob = z.output<typeof OccasionPayload>

/** A trigger by the clock, where it stands. */
interface Placed {
  readonly id: string
  readonly integration: Integration
  readonly operation: Operation
  readonly trigger: ScheduleTrigger
}

/** The triggers by the clock of a domain, by their places. */
const placedIn = ({ integrations }: Pick<Means, 'integrations'>): readonly Placed[] =>
  [...integrations.values()].flatMap((integration) =>
    integration.enabled
      ? [...integration.operations.values()].flatMap((operation) =>
          operation.schedules.map((trigger, at) => ({
            id: `${integration.name}.${operation.name}#${at}`,
            integration,
            operation,
            trigger,
          })),
        )
      : [],
  )

/** Does what the clock sets off: looks for what is due, once on all servers, and puts a run for each record. */
export function declareOccasions(jobs: Jobs, open: ReadonlyMap<string, Means>): void {
  /** The next moment at which anything can be due, by the model in force. */
  const next = new WeakMap<Means, number>()
  const kind: JobKind<OccasionJob> = jobs.kind('integrations.occasion', {
    payload: OccasionPayload,
    delaysMs: Array.from({ length: 200 }, () => 60_000),
    run: (job, work) => occur(job, work, open, kind),
  })
  jobs.source('integrations', async () => {
    let isAny = false
    for (const means of open.values()) {
      const { env, isEnabled } = means.parts
      const placed = isEnabled ? placedIn(means) : []
      if (placed.length === 0 || (next.get(means) ?? 0) > env.now()) continue
      const due = await lookAt(placed, means, kind)
      next.set(means, due.next)
      isAny ||= due.isAny
    }
    return isAny
  })
}

/** Puts what is due, and answers when something is due again. */
async function lookAt(
  placed: readonly Placed[],
  means: Means,
  kind: JobKind<OccasionJob>,
): Promise<{ readonly isAny: boolean; readonly next: number }> {
  const { data, tables, parts, model } = means
  const known = await data.reader.select({
    table: tables.occasions,
    columns: tables.occasions.columns,
    where: { op: 'always' },
    order: [],
  })
  const rows = new Map(known.map((row) => [String(row['id']), row]))
  const now = parts.env.now()
  let [isAny, next] = [false, Infinity]
  for (const { id, trigger } of placed) {
    const row = rows.get(id)
    const isKnown = row !== undefined && row['text'] === trigger.text
    const since = isKnown ? Date.parse(String(row['since'])) : now
    const kept = isKnown && row['nextAt'] !== null ? Date.parse(String(row['nextAt'])) : undefined
    if (isKnown && (kept === undefined || kept > now)) {
      next = Math.min(next, kept ?? Infinity)
      continue
    }
    const following = trigger.recurrence.next(now, trigger.zone, since)
    const nextAt = following === undefined ? null : moment(following)
    next = Math.min(next, following ?? Infinity)
    const isOurs = await parts.store.transaction(async (transaction) => {
      if (!(await moveOn(id, trigger.text, { row, since, nextAt }, transaction, means))) return false
      if (!isKnown) return false
      await kind.put(transaction, { domain: model.name, id, text: trigger.text, after: null })
      return true
    })
    isAny ||= isOurs
  }
  return { isAny, next }
}

/** Says when a trigger is due next; false where another server was quicker. */
async function moveOn(
  id: string,
  text: string,
  {
    row,
    since,
    nextAt,
  }: { readonly row: Row | undefined; readonly since: number; readonly nextAt: string | null },
  transaction: Transaction,
  { tables: { occasions: table } }: Means,
): Promise<boolean> {
  const values = { id, text, since: moment(since), nextAt }
  if (row === undefined) return (await transaction.insert({ table, values, onConflict: 'ignore' })) === 1
  const was: Condition[] = [
    { op: 'eq', column: OCCASION.id, value: id },
    { op: 'eq', column: OCCASION.text, value: String(row['text']) },
    row['nextAt'] === null || row['nextAt'] === undefined
      ? { op: 'null', column: OCCASION.nextAt }
      : { op: 'eq', column: OCCASION.nextAt, value: String(row['nextAt']) },
  ]
  return (await transaction.update({ table, set: values, where: { op: 'and', of: was } })).count > 0
}

/** Puts the runs of an occasion, portion after portion. */
async function occur(
  job: OccasionJob,
  work: Work,
  open: ReadonlyMap<string, Means>,
  kind: JobKind<OccasionJob>,
): Promise<void> {
  const means = open.get(job.domain)
  if (means === undefined) throw new Postponed(`'${job.domain}' is not in force here`, NOT_IN_FORCE_MS)
  const placed = placedIn(means).find(({ id, trigger }) => id === job.id && trigger.text === job.text)
  // The definition says something else by now.
  if (placed === undefined) return work.commit(() => Promise.resolve())
  const { resource } = placed.trigger
  const keys = resource === undefined ? [null] : await keysAfter(job.after, placed.trigger, means)
  await work.commit(async (transaction) => {
    for (const record of resource === undefined
      ? [undefined]
      : await recordsOf(keys, placed.trigger, transaction)) {
      const run = runOf(placed, record, means)
      await insertRun(run, 'queued', transaction, means)
      await putWork(run, means.parts.env.now(), transaction, means)
    }
    const last = keys.at(-1)
    if (keys.length === PORTION && last !== null && last !== undefined)
      await kind.put(transaction, { ...job, after: last })
  })
}

/** The keys of the next records that it is about, without those that blocks keep from what happens by itself. */
async function keysAfter(
  after: string | number | null,
  { resource, filter }: ScheduleTrigger,
  { data, parts }: Means,
): Promise<readonly (string | number)[]> {
  const { column } = resource?.key ?? {}
  if (resource === undefined || column === undefined) return []
  const { now } = parts.env
  const where: Condition[] = []
  if (after !== null) where.push({ op: 'gt', column, value: after })
  if (filter)
    where.push(filter.rows({ user: SYSTEM, op: 'list', variables: {}, rowsOf: waysLeftTo('automate'), now }))
  const { rows } = await data.read(
    resource,
    {
      where,
      fields: [],
      isAutomated: true,
      query: { limit: String(PORTION) },
      order: [{ column, descending: false }],
    },
    { caller: SYSTEM },
  )
  return rows.map((row) => row[resource.key.name] as string | number)
}

async function recordsOf(
  keys: readonly (string | number | null)[],
  { resource }: ScheduleTrigger,
  transaction: Transaction,
): Promise<readonly Row[]> {
  const { column } = resource?.key ?? {}
  if (resource === undefined || column === undefined || keys.length === 0) return []
  const values = keys.filter((key) => key !== null) as readonly Exclude<Value, null>[]
  return transaction.select({
    table: resource.table,
    columns: resource.table.columns,
    where: { op: 'in', column, values },
    order: [{ column, descending: false }],
  })
}

function runOf({ integration, operation, trigger }: Placed, record: Row | undefined, { parts }: Means): Run {
  const now = parts.env.now()
  const { resource } = trigger
  return {
    id: parts.newId(),
    integration,
    operation,
    facts: {
      resource,
      record,
      user: SYSTEM,
      op: 'update',
      variables: { input: {}, mapped: null, transition: null },
      now: () => now,
    },
    built: undefined,
    triggeredBy: 'schedule',
    actor: null,
    resource: resource?.name ?? null,
    recordId: resource && record ? String(record[resource.key.name]) : null,
    depth: 1,
    chain: 1,
    attempts: 0,
    isByHand: false,
    isKept: true,
    finds: noFinds,
    letter: undefined,
  }
}
