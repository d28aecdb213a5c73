import { type Call, errors, Reply, Warnings } from '@svc/kernel'
import type { Codec, Transaction } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Runtime } from '../runtime.ts'
import { findKept, keep, type Kept, type Mark, markOf, take, Taken } from '../write/idempotency.ts'
import type { Transact } from '../write/writer.ts'
import { recording } from './recording.ts'
import type { RecordInput, Surroundings } from './operation.ts'

/** What writes once: it runs its writes by `transact`, which answers the reply, and warns by `call`. */
type Write = (transact: Transact<Reply>, call: Call) => Promise<Reply>

/**
 * Runs a write. Where the request carries an `Idempotency-Key`, the first answer is kept in the write's own
 * transaction, and later requests of the same caller, path and body get it again in place of a second write. A write
 * that was refused keeps nothing: sent again, it is judged again.
 */
export async function idempotent(
  { model, runtime }: Pick<Surroundings, 'model' | 'runtime'>,
  action: string,
  input: RecordInput,
  call: Call,
  write: Write,
): Promise<Reply> {
  const key = call.request?.meta('idempotency-key')
  if (key === undefined)
    return write((work, options) => runtime.transaction(call.caller, work, options), call)
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw malformed()
  const mark = markOf(key, action, call, [input.path, input.id], input.data, codecOf(model))
  const kept = await findKept(mark, runtime.store, runtime.env.now())
  if (kept !== undefined) return replay(kept, mark, call)
  if (runtime.running.has(mark.id)) throw stillRunning()
  runtime.running.add(mark.id)
  try {
    return await marked(mark, runtime, call, write)
  } catch (error) {
    if (!(error instanceof Taken)) throw error
    return await ofAnother(mark, runtime, call)
  } finally {
    runtime.running.delete(mark.id)
  }
}

const codecs = new WeakMap<Model, { readonly codec: Codec | undefined }>()

/** What seals the answers of a domain: whatever seals any of its values. */
export function codecOf(model: Model): Codec | undefined {
  const known = codecs.get(model)
  if (known !== undefined) return known.codec
  const columns = [...model.resources.values()].flatMap((resource) => resource.columns)
  const codec = columns.find((column) => column.codec !== undefined)?.codec
  codecs.set(model, { codec })
  return codec
}

function marked(mark: Mark, { transaction: begin, env }: Runtime, call: Call, write: Write): Promise<Reply> {
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
async function ofAnother(mark: Mark, { store, env }: Runtime, call: Call): Promise<Reply> {
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
    headers: { ...headers, 'Idempotency-Replayed': 'true' },
  })
}

const malformed = () =>
  errors.BAD_REQUEST({ message: "An 'Idempotency-Key' has 1 to 255 printable ASCII characters" })

const stillRunning = () =>
  errors.CONFLICT({ message: "A request with this 'Idempotency-Key' is still running: try again" })
