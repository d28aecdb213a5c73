import { Reply, Warnings } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { Asker, WriteOptions } from '../contract/data.ts'
import { runInside } from '../blocks/inside.ts'
import type { Due, LeftBy } from '../contract/due.ts'
import type { RecordWrite, Writes } from '../contract/writes.ts'
import type { Model } from '../model/model.ts'
import { codecOf } from '../operations/idempotent.ts'
import type { Runtime } from '../runtime.ts'
import type { Change } from '../write/change.ts'
import { keep, type Mark, markOf, take } from '../write/idempotency.ts'
import { nestedChange } from '../write/nested.ts'
import { marking, RecordWrites } from '../write/record-writes.ts'
import { retryTaken } from '../write/retry.ts'
import type { Writer } from '../write/writer.ts'
import { assertKey } from '../write/once.ts'
import { answeredOnce } from './once.ts'

interface Surroundings {
  readonly model: Model
  readonly runtime: Runtime
  readonly writer: Writer
}

type Work<T> = (writes: Writes) => Promise<T>

/** Runs a block's work in one transaction; the bus hears of its records after the commit. */
export async function writeRecords<T>(
  around: Surroundings,
  asker: Asker,
  work: Work<T>,
  { once, ...options }: WriteOptions = {},
): Promise<T> {
  if (once === undefined) return run(around, asker, work, options)
  assertKey(once.key)
  const mark = markOf(once.key, `${around.model.name} ${once.name}`, asker, null, once.of, {
    codec: codecOf(around.model),
    domain: around.model.name,
  })
  return answeredOnce(mark, around.runtime, asker, () => run(around, asker, work, options, mark))
}

async function run<T>(
  { model, runtime, writer }: Surroundings,
  asker: Asker,
  work: Work<T>,
  { depth = asker.depth ?? 0, origin: setOffBy, ...options }: WriteOptions,
  mark?: Mark,
): Promise<T> {
  const { caller, signal } = asker
  // Most that blocks write by themselves is no record of a domain: it needs no name of its own.
  let { requestId } = asker
  const named = (): string => (requestId ??= runtime.newId())
  let changes: Change[] = []
  let warnings = new Warnings()
  const attempt = async (transaction: Transaction): Promise<T> => {
    const made: Change[] = (changes = [])
    warnings = new Warnings()
    const { env } = runtime
    const heard = warnings
    const origin = {
      domain: model.name,
      runtime,
      caller,
      get requestId() {
        return named()
      },
      at: new Date(env.now()).toISOString(),
      tell: heard.add.bind(heard),
      depth,
      setOffBy,
      ...(signal && { signal: () => signal }),
    }
    const record = async (write: RecordWrite) => {
      const change = nestedChange(write, origin, transaction)
      await writer.inside(change, transaction)
      made.push(change)
      return change.kind === 'delete' ? undefined : change.record
    }
    const follow = async (due: Due, by: LeftBy) => {
      const { tell, at } = origin
      made.push(...(await writer.follow(due, { ...by, runtime, at, tell }, transaction)))
    }
    const writes = new RecordWrites(transaction, { record, follow }, marking(made))
    if (mark) await take(mark, transaction, env.now())
    const result = await runInside(() => work(writes))
    if (mark) await keep(mark, new Reply({ data: result }), heard, transaction)
    return result
  }
  const refused = {
    domain: model.name,
    runtime,
    get requestId() {
      return named()
    },
    depth,
    origin: setOffBy,
  }
  const result = await writer.settled(refused, () =>
    retryTaken(() => runtime.transaction(caller, attempt, options)),
  )
  if (asker.warn) warnings.repeat(asker.warn)
  for (const change of changes) writer.announce(change)
  return result
}
