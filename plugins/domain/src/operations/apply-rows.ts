import { setImmediate as aside } from 'node:timers/promises'
import { AppError, Warnings, withoutParams } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import { companionOf } from '../write/cascade.ts'
import type { Change } from '../write/change.ts'
import type { Gathering } from '../write/recompute.ts'
import { retryTaken } from '../write/retry.ts'
import type { Writer } from '../write/writer.ts'

/** After so many rows the requests of others get their turn: a store may do its work without ever waiting. */
export const SLICE = 100

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

/** A row whose change has begun, or has failed already. */
export interface Started {
  readonly change?: Change
  readonly failure?: RowFailure
}

/** Rows that are to be written. */
export interface Rows {
  readonly rows: readonly Row[]
  /** What became of each so far. */
  readonly started: readonly Started[]
  readonly writer: Writer
  /** Called after each row, with how many are done. */
  readonly onProgress?: ((done: number) => void) | undefined
}

/** What came of them. */
export interface Applied {
  readonly changes: readonly Change[]
  readonly failures: readonly RowFailure[]
  /** Changes of records that followed all of them, which the bus is to be told of. */
  readonly followed: readonly Change[]
  /** What these warn of: it belongs to no row. */
  readonly warnings: Warnings
}

/**
 * Writes rows in their order, each in a savepoint of its own; what depends on them follows once behind all of them. Where that
 * cannot be written it belongs to the row that has brought it about: all of them are written again then, each with what follows it.
 */
export async function applyRows(all: Rows, transaction: Transaction): Promise<Applied> {
  const gathering = all.writer.gathering(all.started.flatMap(({ change }) => change ?? []))
  if (gathering === undefined) return eachRow(all, transaction)
  try {
    return await transaction.savepoint(() => withFollowing(all, gathering, transaction))
  } catch (error) {
    if (!(error instanceof NotFollowed)) throw error
  } finally {
    gathering.end()
  }
  return eachRow(all, transaction)
}

async function eachRow(
  { rows, started, writer, onProgress }: Rows,
  transaction: Transaction,
): Promise<Applied> {
  const changes: Change[] = []
  const failures: RowFailure[] = []
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % SLICE === 0) await aside()
    const { change, failure } = started[index]!
    const outcome = failure ?? (await apply(row, index, change!, { transaction, writer }))
    if (outcome === undefined) changes.push(change!)
    else failures.push(outcome)
    onProgress?.(index + 1)
  }
  return { changes, failures, followed: [], warnings: new Warnings() }
}

async function withFollowing(all: Rows, gathering: Gathering, transaction: Transaction): Promise<Applied> {
  const applied = await eachRow(all, transaction)
  const [first] = applied.changes
  if (first === undefined) return applied
  const { warnings } = applied
  try {
    const companion = { ...companionOf(first), tell: warnings.add.bind(warnings) }
    return { ...applied, followed: await gathering.follow(companion, transaction) }
  } catch (error) {
    throw isRefusal(error) ? new NotFollowed(error) : error
  }
}

/** What follows rows could not be written. */
class NotFollowed extends Error {
  constructor(cause: Error) {
    super('what follows rows cannot be written', { cause })
  }
}

async function apply(
  row: Row,
  index: number,
  change: Change,
  { transaction, writer }: { transaction: Transaction; writer: Writer },
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

const isRefusal = (error: unknown): error is AppError => error instanceof AppError && error.status < 500

/** A refusal belongs to its row; anything else ends the whole request. */
export function failureOf(error: unknown, index: number, id: unknown): RowFailure {
  if (!isRefusal(error)) throw error
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
