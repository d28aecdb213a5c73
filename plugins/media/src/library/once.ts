import { type Data, keptOnce } from '@svc/domain/contract'
import type { Call, Reply } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { Library } from '../setting.ts'

/** What a request asks for, as far as it is told from others with the same `Idempotency-Key`. */
export interface Asked {
  readonly action: 'upload' | 'bulk-delete'
  readonly sent: unknown
}

/** The library of a request, and the door to its records. */
export interface Around {
  readonly library: Library
  readonly data: Data
}

/** Runs the writes of a request in one transaction, and once for each `Idempotency-Key`. */
export const once = (
  { action, sent }: Asked,
  call: Call,
  { library, data }: Around,
  work: (transaction: Transaction) => Promise<Reply>,
): Promise<Reply> =>
  keptOnce(
    { ...library.answers, transaction: (caller, write) => data.write({ caller }, write) },
    { name: `svc.${library.domain}.media.${action}`, path: [], sent },
    call,
    (transact) => transact(work),
  )
