import { setImmediate as aside } from 'node:timers/promises'
import { AppError, type Reply, Warnings, withoutParams } from '@svc/kernel'
import type { Reader, Transaction } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import { type Change, tellWarnings, warnedBy } from '../write/change.ts'
import { reserveNumbers } from '../write/counters.ts'
import { malformed, type Reading } from '../write/refuse.ts'
import { hashSecrets } from '../write/secrets.ts'
import { verifyTogether } from '../write/verify.ts'
import { retryTaken } from '../write/retry.ts'
import type { Transact } from '../write/writer.ts'
import { finding } from '../speech/sentences.ts'
import { type LocaleFacts, messageFacts } from '../speech/speech.ts'
import type { Surroundings } from './operation.ts'

/** After so many rows the requests of others get their turn: a store may do its work without ever waiting. */
const SLICE = 100

const MANY = { many: true } as const

/** One row of a bulk request. */
export interface Row {
  /** The record's key as the client wrote it. */
  readonly id?: unknown
  /** Starts the row's change; runs outside of any transaction. */
  start(): Promise<Change>
  /** Looks once more, inside the transaction, at what the start was decided by. */
  confirm?(change: Change, transaction: Transaction): Promise<void>
}

/** Why one row of a bulk request failed. */
export interface RowFailure {
  readonly index: number
  readonly id?: unknown
  readonly error_code: string
  readonly error_message: string
  readonly errors?: readonly object[]
  readonly data?: unknown
}

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
  let changes: Change[] = []
  const reply = await transact(
    async (transaction) => {
      const failures: RowFailure[] = []
      changes = []
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
      for (const [index, row] of rows.entries()) {
        if (index > 0 && index % SLICE === 0) await aside()
        const { change, failure } = started[index]!
        const outcome = failure ?? (await apply(row, index, change!, { transaction, writer }))
        if (outcome === undefined) changes.push(change!)
        else failures.push(outcome)
        onProgress?.(index + 1)
      }
      return answer({ changes, failures, facts: factsOf(failures, begun) }, transaction)
    },
    { ...MANY, warnings: () => gathered(changes) },
  )
  for (const [index, change] of changes.entries()) {
    if (index > 0 && index % SLICE === 0) await aside()
    tellWarnings(change)
    writer.announce(change)
  }
  return reply
}

function gathered(changes: readonly Change[]): Warnings {
  const all = new Warnings()
  for (const change of changes) warnedBy(change).repeat((warning) => all.add(warning))
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

interface Started {
  readonly change?: Change
  readonly failure?: RowFailure
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

async function apply(
  row: Row,
  index: number,
  change: Change,
  { transaction, writer }: { transaction: Transaction; writer: Surroundings['writer'] },
): Promise<RowFailure | undefined> {
  try {
    await retryTaken(() =>
      transaction.savepoint(async () => {
        await row.confirm?.(change, transaction)
        await writer.within(change, transaction)
      }),
    )
    return undefined
  } catch (error) {
    const failure = failureOf(error, index, row.id)
    await writer.settle(error, change, transaction)
    return failure
  }
}

/** A refusal belongs to its row; anything else ends the whole request. */
function failureOf(error: unknown, index: number, id: unknown): RowFailure {
  if (!(error instanceof AppError) || error.status >= 500) throw error
  const { code, message, detail } = error
  return {
    index,
    ...(id !== undefined && { id }),
    error_code: code,
    error_message: message,
    ...(detail.errors && { errors: detail.errors.map(withoutParams) }),
    ...(detail.data !== undefined && { data: detail.data }),
  }
}

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
