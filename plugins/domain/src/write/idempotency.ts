import { createHash } from 'node:crypto'
import type { Call, Reply, Warning, Warnings } from '@svc/kernel'
import { column, type Reader, type Store, type Table, type Transaction } from '@svc/store/contract'

/** How long an answer is kept, in milliseconds. */
export const KEPT_MS = 24 * 60 * 60 * 1000

const id = column('id', 'text')
const body = column('body', 'text')
const answer = column('answer', 'text', true)
const createdAt = column('createdAt', 'datetime')

/** The answers to requests that carried an `Idempotency-Key`, each kept by the transaction of its write. */
export const IDEMPOTENCY: Table = {
  name: 'svc_idempotency',
  columns: [id, body, answer, createdAt],
  primaryKey: [id],
  indexes: [{ name: 'svc_idempotency_createdAt_idx', columns: [createdAt], unique: false }],
  foreignKeys: [],
}

/** What names a request among all requests with a key. */
export interface Mark {
  /** A hash of the caller, the action, the path and the key. */
  readonly id: string
  /** A hash of the body. */
  readonly body: string
}

/** An answer as it was first given. */
export interface Kept {
  /** The hash of the body that it answered. */
  readonly body: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly data: unknown
  readonly warnings: readonly Warning[]
  /** How many warnings there were besides. */
  readonly more?: number
}

/** Another request with the same mark has been faster. */
export class Taken extends Error {}

/** The mark of a request: `path` and `sent` are its path parameters and its body. */
export function markOf(key: string, action: string, { caller }: Call, path: unknown, sent: unknown): Mark {
  const who = caller.id ?? caller.kind
  return { id: hash([who, action, path, key]), body: hash(sent ?? null) }
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')

/** The answer that is kept under a mark; undefined where there is none, or where its time is over. */
export async function findKept(mark: Mark, reader: Reader, now: number): Promise<Kept | undefined> {
  const [row] = await reader.select({
    table: IDEMPOTENCY,
    columns: [body, answer],
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: id, value: mark.id },
        { op: 'gt', column: createdAt, value: expiry(now) },
      ],
    },
    order: [],
    limit: 1,
  })
  if (row === undefined || row['answer'] === null) return undefined
  return { ...JSON.parse(String(row['answer'])), body: String(row['body']) }
}

/** Begins a marked write: whoever inserts the mark is the one that writes. Throws Taken. */
export async function take(mark: Mark, transaction: Transaction, now: number): Promise<void> {
  const isOwn = { op: 'eq', column: id, value: mark.id } as const
  await transaction.remove({ table: IDEMPOTENCY, where: { op: 'and', of: [isOwn, isOver(now)] } })
  const values = { id: mark.id, body: mark.body, createdAt: new Date(now).toISOString() }
  const count = await transaction.insert({ table: IDEMPOTENCY, values, onConflict: 'ignore' })
  if (count === 0) throw new Taken(`another request has written '${mark.id}'`)
}

/** Ends a marked write: its answer stands from the commit on. */
export async function keep(
  mark: Mark,
  { status, headers, data }: Reply,
  { first, more }: Pick<Warnings, 'first' | 'more'>,
  transaction: Transaction,
): Promise<void> {
  await transaction.update({
    table: IDEMPOTENCY,
    set: { answer: JSON.stringify({ status, headers, data, warnings: first, ...(more > 0 && { more }) }) },
    where: { op: 'eq', column: id, value: mark.id },
  })
}

/** Removes the answers whose time is over. */
export async function sweepKept(store: Store, now: number): Promise<void> {
  await store.transaction((transaction) => transaction.remove({ table: IDEMPOTENCY, where: isOver(now) }))
}

const expiry = (now: number): string => new Date(now - KEPT_MS).toISOString()
const isOver = (now: number) => ({ op: 'lte', column: createdAt, value: expiry(now) }) as const
