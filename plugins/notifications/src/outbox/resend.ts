import type { Model } from '@svc/domain/contract'
import type { JobKind } from '@svc/jobs/contract'
import type { Environment } from '@svc/kernel'
import type { Row, Transaction } from '@svc/store/contract'
import { queuedAt } from './queued.ts'
import type { Sending } from './raise.ts'
import { tablesOf } from './tables.ts'

export interface ResendParts {
  readonly env: Environment
  readonly newId: () => string
  readonly sending: () => JobKind<Sending>
}

/** Queues a message again, for whom it was and as it was written; one that found nobody looks for recipients anew. */
export async function resend(
  entry: Row,
  { name: domain }: Model,
  transaction: Transaction,
  { env, newId, sending }: ResendParts,
): Promise<Row> {
  const at = new Date(env.now()).toISOString()
  const id = newId()
  const row: Row = {
    ...entry,
    id,
    ...queuedAt(at),
    resendOf: entry['id'] ?? null,
  }
  await transaction.insert({ table: tablesOf(domain).entries, values: row })
  await sending().put(transaction, { domain, id })
  return row
}
