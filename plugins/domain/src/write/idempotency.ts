import { createHash } from 'node:crypto'
import type { Call, Reply, Warning, Warnings } from '@svc/kernel'
import {
  type Codec,
  column,
  type Condition,
  type Reader,
  type Store,
  type Table,
  type Transaction,
  type Value,
} from '@svc/store/contract'

/** How long an answer is kept, in milliseconds. */
export const KEPT_MS = 24 * 60 * 60 * 1000

const id = column('id', 'text')
const body = column('body', 'text')
/** The column of answers. */
export const ANSWER = column('answer', 'text', true)
const createdAt = column('createdAt', 'datetime')
/** Which domain seals the answer; null where none does, whatever it keeps. */
const domain = column('domain', 'text', true)

/** The answers to requests that carried an `Idempotency-Key`, each kept by the transaction of its write. */
export const IDEMPOTENCY: Table = {
  name: 'svc_idempotency',
  columns: [id, body, ANSWER, createdAt, domain],
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
  /** Seals the answer, and the hash that could be guessed at; undefined where a domain seals nothing. */
  readonly codec?: Codec | undefined
  /** The domain that seals it, or will once it seals anything. */
  readonly domain?: string | undefined
}

/** An answer as it was first given. */
export interface Kept {
  /** The hash of the body that it answered. */
  readonly body: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly data: unknown
  readonly meta?: Readonly<Record<string, unknown>>
  readonly warnings: readonly Warning[]
  /** How many warnings there were besides. */
  readonly more?: number
}

/** Another request with the same mark has been faster. */
export class Taken extends Error {}

/** Whoever sends a request. */
export type Sender = Pick<Call, 'caller'> & Partial<Pick<Call, 'request'>>

/**
 * What tells the sender of a request from others: the account, or for who has shown no credentials the address that the request came
 * from. Nobody is told what somebody else was answered for having hit upon the same key.
 */
export const senderOf = ({ caller: { id, kind }, request }: Sender): string =>
  id ?? (kind === 'anonymous' ? `${kind} ${request?.remote ?? ''}` : kind)

/** The mark of a request: `path` and `sent` are its path parameters and its body. */
export function markOf(
  key: string,
  action: string,
  sender: Sender,
  path: unknown,
  sent: unknown,
  by: Pick<Mark, 'codec' | 'domain'> = {},
): Mark {
  return { id: hash([senderOf(sender), action, path, key]), body: hash(sent ?? null), ...by }
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')

/** The answer that is kept under a mark; undefined where there is none, or where its time is over. */
export async function findKept(mark: Mark, reader: Reader, now: number): Promise<Kept | undefined> {
  const [row] = await reader.select({
    table: IDEMPOTENCY,
    columns: [body, ANSWER],
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
  return { ...JSON.parse(opened(row['answer'], mark)), body: opened(row['body'], mark) }
}

/** Begins a marked write: whoever inserts the mark is the one that writes. Throws Taken. */
export async function take(mark: Mark, transaction: Transaction, now: number): Promise<void> {
  const isOwn = { op: 'eq', column: id, value: mark.id } as const
  await transaction.remove({ table: IDEMPOTENCY, where: { op: 'and', of: [isOwn, isOver(now)] } })
  const values = {
    id: mark.id,
    body: sealed(mark.body, mark),
    createdAt: new Date(now).toISOString(),
    domain: mark.domain ?? null,
  }
  const count = await transaction.insert({ table: IDEMPOTENCY, values, onConflict: 'ignore' })
  if (count === 0) throw new Taken(`another request has written '${mark.id}'`)
}

/** Ends a marked write: its answer stands from the commit on. */
export async function keep(
  mark: Mark,
  { status, headers, data, meta }: Reply,
  { first, more }: Pick<Warnings, 'first' | 'more'>,
  transaction: Transaction,
): Promise<void> {
  const text = JSON.stringify({ status, headers, data, meta, warnings: first, ...(more > 0 && { more }) })
  await transaction.update({
    table: IDEMPOTENCY,
    set: { answer: sealed(text, mark) },
    where: { op: 'eq', column: id, value: mark.id },
  })
}

/** Begins what is sealed; neither JSON nor a hash does so. */
const SEALED = '~'

const sealed = (text: string, { codec }: Pick<Mark, 'codec'>): string =>
  codec === undefined ? text : SEALED + codec.seal(text)

/** Throws where nothing is there to open it: a write that was answered is not to be done again. */
function opened(kept: Value | undefined, { codec }: Pick<Mark, 'codec'>): string {
  const text = String(kept)
  if (!text.startsWith(SEALED)) return text
  if (codec === undefined) throw new Error('an answer was sealed, and nothing is there to open it')
  return String(codec.open(text.slice(SEALED.length)))
}

/** A kept answer as JSON; undefined where nothing is there to open it. */
export function answerOf(kept: Value, codec: Codec | undefined): Value | undefined {
  if (typeof kept !== 'string') return undefined
  if (!kept.startsWith(SEALED)) return JSON.parse(kept)
  try {
    return codec && JSON.parse(String(codec.open(kept.slice(SEALED.length))))
  } catch {
    // What another domain has sealed.
    return undefined
  }
}

/** An answer in the form in which `kept` was. */
export const textOf = (answer: Value, kept: Value, codec: Codec | undefined): string =>
  sealed(JSON.stringify(answer), { codec: String(kept).startsWith(SEALED) ? codec : undefined })

const BATCH = 200

/** Seals what is kept of a domain's answers as that does from now on, or no longer. What does not open stays as it is. */
export async function resealKept(
  name: string,
  { from, to }: { readonly from: Codec | undefined; readonly to: Codec | undefined },
  transaction: Transaction,
): Promise<void> {
  const isOwn: Condition = { op: 'eq', column: domain, value: name }
  for (let where: Condition = isOwn; ;) {
    const rows = await transaction.select({
      table: IDEMPOTENCY,
      columns: [id, body, ANSWER],
      where,
      order: [{ column: id, descending: false }],
      limit: BATCH,
    })
    for (const row of rows) {
      const change = (kept: Value | undefined): Value =>
        typeof kept === 'string' ? resealed(kept, from, to) : (kept ?? null)
      const set = { body: change(row['body']), answer: change(row['answer']) }
      await transaction.update({
        table: IDEMPOTENCY,
        set,
        where: { op: 'eq', column: id, value: String(row['id']) },
      })
    }
    const last = rows.at(-1)
    if (rows.length < BATCH || last === undefined) return
    where = { op: 'and', of: [isOwn, { op: 'gt', column: id, value: String(last['id']) }] }
  }
}

function resealed(kept: string, from: Codec | undefined, to: Codec | undefined): string {
  try {
    return sealed(opened(kept, { codec: from }), { codec: to })
  } catch {
    return kept
  }
}

/** Removes the answers whose time is over. */
export async function sweepKept(store: Store, now: number): Promise<void> {
  await store.transaction((transaction) => transaction.remove({ table: IDEMPOTENCY, where: isOver(now) }))
}

const expiry = (now: number): string => new Date(now - KEPT_MS).toISOString()
const isOver = (now: number) => ({ op: 'lte', column: createdAt, value: expiry(now) }) as const
