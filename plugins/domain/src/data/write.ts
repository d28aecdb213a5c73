import { Warnings } from '@svc/kernel'
import type { Asker, WriteOptions } from '../blocks/data.ts'
import { runInside } from '../blocks/inside.ts'
import type { Writes } from '../blocks/writes.ts'
import type { Model } from '../model/model.ts'
import type { Runtime } from '../runtime.ts'
import type { Change } from '../write/change.ts'
import { type Origin, nestedChange } from '../write/nested.ts'
import { RecordWrites } from '../write/record-writes.ts'
import { retryTaken } from '../write/retry.ts'
import type { Writer } from '../write/steps.ts'

interface Surroundings {
  readonly model: Model
  readonly runtime: Runtime
  readonly writer: Writer
}

/** Runs a block's work in one transaction; the bus hears of its records after the commit. */
export async function writeRecords<T>(
  { model, runtime, writer }: Surroundings,
  asker: Asker,
  work: (writes: Writes) => Promise<T>,
  options: WriteOptions = {},
): Promise<T> {
  const requestId = asker.requestId ?? runtime.newId()
  let changes: Change[] = []
  let warnings = new Warnings()
  const attempt = (): Promise<T> =>
    runtime.transaction(
      asker.caller,
      (transaction) => {
        changes = []
        warnings = new Warnings()
        const told = warnings
        const origin: Origin = {
          domain: model.name,
          runtime,
          caller: asker.caller,
          requestId,
          at: new Date(runtime.env.now()).toISOString(),
          tell: (warning) => told.add(warning),
          ...(asker.signal && { signal: () => asker.signal! }),
        }
        const writes = new RecordWrites(transaction, async (write) => {
          const change = nestedChange(write, origin, transaction)
          await writer.inside(change, transaction)
          changes.push(change)
          return change.kind === 'delete' ? undefined : change.record
        })
        return runInside(() => work(writes))
      },
      options,
    )
  const result = await retryTaken(attempt)
  if (asker.warn) warnings.repeat(asker.warn)
  for (const change of changes) writer.announce(change)
  return result
}
