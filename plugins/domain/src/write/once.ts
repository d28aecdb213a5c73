import { type AppError, type Call, errors, Reply, Warnings } from '@svc/kernel'
import type { Codec, Reader, Transaction } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import { findKept, keep, type Kept, type Mark, markOf, take, Taken } from './idempotency.ts'
import { recording } from './recording.ts'
import type { Transact } from './writer.ts'

/** What writes of which the answers are kept work with; `running` has the marks of those under way. */
export interface KeptAnswers extends Pick<Runtime, 'env' | 'running' | 'transaction'> {
  readonly store: Reader
}

/** What names a write among all with an `Idempotency-Key`, and what was sent with it. */
export interface Named {
  readonly name: string
  /** What it is about, as the path of its address says. */
  readonly path: unknown
  readonly sent: unknown
  readonly codec?: Codec | undefined
  /** The domain whose answer it is, where that may seal it. */
  readonly domain?: string | undefined
}

/** What a write answers: its reply, or what it is refused with. */
export type Written = Reply | AppError

/** What writes once: it runs its writes by `transact`, which answers the reply, and warns by `call`. */
export type WriteOnce<W extends Written | Promise<Written> = Promise<Reply>> = (
  transact: Transact<Reply>,
  call: Call,
) => W

/**
 * Runs a write. Where the request carries an `Idempotency-Key`, the first answer is kept in the write's own
 * transaction, and later requests of the same caller, path and body get it again in place of a second write. A write
 * that was refused keeps nothing: sent again, it is judged again.
 */
export function keptOnce<W extends Written | Promise<Written>>(
  answers: KeptAnswers,
  { name, path, sent, codec, domain }: Named,
  call: Call,
  write: WriteOnce<W>,
): W | Promise<Awaited<W> | Reply> {
  const key = call.request?.meta('idempotency-key')
  if (key === undefined)
    return write((work, options) => answers.transaction(call.caller, work, options), call)
  assertKey(key)
  return once(markOf(key, name, call, path, sent, { codec, domain }), answers, call, write)
}

async function once<W extends Written | Promise<Written>>(
  mark: Mark,
  answers: KeptAnswers,
  call: Call,
  write: WriteOnce<W>,
): Promise<Awaited<W> | Reply> {
  const kept = await findKept(mark, answers.store, answers.env.now())
  if (kept !== undefined) return replay(kept, mark, call)
  if (answers.running.has(mark.id)) throw stillRunning()
  answers.running.add(mark.id)
  try {
    return await marked(mark, answers, call, write)
  } catch (error) {
    if (!(error instanceof Taken)) throw error
    return await ofAnother(mark, answers, call)
  } finally {
    answers.running.delete(mark.id)
  }
}

function marked<W>(
  mark: Mark,
  { transaction: begin, env }: KeptAnswers,
  call: Call,
  write: (transact: Transact<Reply>, call: Call) => W,
): W {
  const warnings = new Warnings()
  const transact: Transact<Reply> = (work, options) =>
    begin(
      call.caller,
      async (transaction: Transaction) => {
        await take(mark, transaction, env.now())
        const reply = await work(transaction)
        await keep(mark, reply, withThose(options?.warnings?.(), warnings), transaction)
        return reply
      },
      options,
    )
  return write(transact, recording(call, warnings))
}

/** All that a request has warned of, with what its writes have in this run of their transaction. */
function withThose(written: Warnings | undefined, before: Warnings): Warnings {
  if (written === undefined) return before
  const all = Warnings.of(before.first, before.more)
  written.repeat((warning) => all.add(warning))
  return all
}

/** Another server has written meanwhile: its answer is there as soon as its transaction is over. */
async function ofAnother(mark: Mark, { store, env }: KeptAnswers, call: Call): Promise<Reply> {
  const kept = await findKept(mark, store, env.now())
  if (kept === undefined) throw stillRunning()
  return replay(kept, mark, call)
}

function replay(kept: Kept, mark: Mark, call: Call): Reply {
  const { body, status, headers, data, meta, warnings, more = 0 } = kept
  if (body !== mark.body) throw domainErrors.IDEMPOTENCY_MISMATCH()
  Warnings.of(warnings, more).repeat(call.warn)
  return new Reply({
    status,
    data,
    ...(meta && { meta }),
    headers: { ...headers, ...REPLAYED },
  })
}

/** Throws BAD_REQUEST for what is no key. */
export function assertKey(key: string): void {
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw errors.BAD_REQUEST({ message: "An 'Idempotency-Key' has 1 to 255 printable ASCII characters" })
}

/** Of an answer that was given before. */
export const REPLAYED = { 'Idempotency-Replayed': 'true' } as const

const stillRunning = () =>
  errors.CONFLICT({ message: "A request with this 'Idempotency-Key' is still running: try again" })
