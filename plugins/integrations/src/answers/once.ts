import { codecOf, type Data, keptOnce } from '@svc/domain/contract'
import type { Call, Reply } from '@svc/kernel'
import type { Setting } from '../run/means.ts'

/** What is done, as its `Idempotency-Key` is told from others. */
export interface Doing {
  readonly action: string
  /** What it is done to. */
  readonly path: readonly string[]
  readonly sent: unknown
}

/** Whoever asks again with the same key is told what came of it; what failed is done again. */
export const answeredOnce = (
  { action, path, sent }: Doing,
  { model, parts }: Setting,
  { call, data, done }: { readonly call: Call; readonly data: Data; readonly done: () => Promise<Reply> },
): Promise<Reply> =>
  keptOnce(
    { ...parts.answers, transaction: (caller, write) => data.write({ caller }, write) },
    {
      name: `svc.${model.name}.integrations.${action}`,
      path,
      sent,
      codec: codecOf(model),
      domain: model.name,
    },
    call,
    async (transact) => {
      const reply = await done()
      return transact(async () => reply)
    },
  )
