import { setImmediate as aside } from 'node:timers/promises'
import { type Reply, Warnings } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import { type Change, tellWarnings, warnedBy } from '../write/change.ts'
import { reserveNumbers } from '../write/counters.ts'
import { malformed, type Reading } from '../write/refuse.ts'
import { hashSecrets } from '../write/secrets.ts'
import { verifyTogether } from '../write/verify.ts'
import type { Transact } from '../write/writer.ts'
import { finding } from '../speech/sentences.ts'
import { type LocaleFacts, messageFacts } from '../speech/speech.ts'
import {
  type Applied,
  applyRows,
  failureOf,
  type Row,
  type RowFailure,
  SLICE,
  type Started,
} from './apply-rows.ts'
import type { Surroundings } from './operation.ts'

const MANY = { many: true } as const
const NOTHING: Applied = { changes: [], failures: [], followed: [], warnings: new Warnings() }

export interface BatchResult {
  readonly changes: readonly Change[]
  readonly failures: readonly RowFailure[]
  /** What the answer says of the language that faults of rows are told in. */
  readonly facts: Partial<LocaleFacts>
}

/** What a batch may say of itself while it runs. */
export interface BatchOptions {
  readonly transact: Transact<Reply>
  readonly answer: (result: BatchResult, reader: Reader) => Reply | Promise<Reply>
  /** Called after each row, with how many are done. */
  readonly onProgress?: (done: number) => void
}

/**
 * Runs rows in one transaction, in their order and each in a savepoint of its own: one that is refused leaves the others
 * alone. All that waits for anything else than the transaction is done before it begins, and what the rows are about is
 * held before the first of them. Answers after the commit, when the bus knows of every change.
 */
export async function runBatch(
  { writer, runtime }: Surroundings,
  rows: readonly Row[],
  { transact, answer, onProgress }: BatchOptions,
): Promise<Reply> {
  const begun = await inSlices(rows, (row, index) => attempt(row, index, () => row.start()))
  // Once all look-ups are done, so that the keys of new records ascend as the rows do.
  const judged = await goOn(begun, rows, writer.gather)
  const faulty = judged.flatMap(({ change }) => (change && change.faults.length > 0 ? [change] : []))
  await verifyTogether(faulty, runtime.store, false)
  const checked = await goOn(judged, rows, writer.refuse)
  await hashSecrets(checked.flatMap(({ change }) => change ?? []))
  const started = await goOn(checked, rows, writer.ask)
  let applied: Applied = NOTHING
  const reply = await transact(
    async (transaction) => {
      applied = NOTHING
      const created = started.flatMap(({ change }) => (change?.kind === 'create' ? [change] : []))
      await reserveNumbers(created, transaction)
      await writer.lock(
        started.flatMap(({ change }) => change ?? []),
        transaction,
      )
      await verifyTogether(
        started.flatMap(({ change }) => change ?? []),
        transaction,
        true,
      )
      applied = await applyRows({ rows, started, writer, onProgress }, transaction)
      const { changes, failures } = applied
      return answer({ changes, failures, facts: factsOf(failures, begun) }, transaction)
    },
    { ...MANY, warnings: () => warnedIn(applied) },
  )
  const { changes, followed, warnings } = applied
  for (const [index, change] of changes.entries()) {
    if (index > 0 && index % SLICE === 0) await aside()
    tellWarnings(change)
    writer.announce(change)
  }
  for (const [index, change] of followed.entries()) {
    if (index > 0 && index % SLICE === 0) await aside()
    writer.announce(change)
  }
  if (changes[0] !== undefined) warnings.repeat(changes[0].tell)
  return reply
}

function warnedIn({ changes, warnings }: Applied): Warnings {
  const all = new Warnings()
  for (const change of changes) warnedBy(change).repeat((warning) => all.add(warning))
  warnings.repeat((warning) => all.add(warning))
  return all
}

function factsOf(failures: readonly RowFailure[], begun: readonly Started[]): Partial<LocaleFacts> {
  const change = begun.find((one) => one.change !== undefined)?.change
  if (change === undefined || !failures.some(({ errors: faults }) => faults !== undefined)) return {}
  return messageFacts(change.resource.localizer, change.acceptLanguage)
}

async function inSlices<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const done: R[] = []
  for (let at = 0; at < items.length; at += SLICE) {
    if (at > 0) await aside()
    done.push(
      ...(await Promise.all(items.slice(at, at + SLICE).map((item, within) => work(item, at + within)))),
    )
  }
  return done
}

async function attempt(row: Row, index: number, act: () => Promise<Change>): Promise<Started> {
  try {
    return { change: await act() }
  } catch (error) {
    return { failure: failureOf(error, index, row.id) }
  }
}

/** Takes the changes that have not failed yet a step further. */
const goOn = (
  started: readonly Started[],
  rows: readonly Row[],
  step: (change: Change) => void | Promise<void>,
): Promise<readonly Started[]> =>
  inSlices(started, async (one, index) => {
    const { change } = one
    if (change === undefined) return one
    return attempt(rows[index]!, index, async () => {
      await step(change)
      return change
    })
  })

/** The items of a body, bare or under `key`; refuses what is no list, or too long. */
export function itemsOf(
  body: unknown,
  key: 'items' | 'ids',
  limit: number,
  reading: Reading,
): readonly unknown[] {
  const list = Array.isArray(body) ? body : isObject(body) ? body[key] : undefined
  if (!Array.isArray(list)) throw malformed(reading, [{ ...finding('required.rows'), field: key }])
  if (list.length > limit) {
    throw domainErrors.BULK_LIMIT_EXCEEDED({
      message: `${list.length} items are too many: at most ${limit} fit in one request`,
    })
  }
  return list
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Refuses keys of a bulk body that nobody reads. */
export function onlyKeys(body: Record<string, unknown>, known: readonly string[], reading: Reading): void {
  const unknown = Object.keys(body).filter((key) => !known.includes(key))
  if (unknown.length === 0) return
  throw malformed(
    reading,
    unknown.map((field) => ({ ...finding('unknown.key', { known }), field })),
  )
}
