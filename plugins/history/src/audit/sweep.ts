import type { Model } from '@svc/domain/contract'
import type { Condition, Store } from '@svc/store/contract'
import { TIMESTAMP } from '../ledger.ts'
import { type AuditLedger, ledgerOf } from './ledger.ts'

const DAY_MS = 86_400_000
/** Entries that one transaction removes, about: other writers wait for it. */
const SLICE = 500

/**
 * Removes the audit entries that are older than their resource keeps them; answers how many. `now` is in
 * milliseconds since 1970. Several servers may do so at once: each entry goes once.
 */
export async function sweepAudit(models: readonly Model[], store: Store, now: number): Promise<number> {
  let removed = 0
  for (const { resources } of models) {
    for (const resource of resources.values()) {
      const ledger = ledgerOf(resource)
      if (ledger?.days !== undefined) removed += await sweepLedger(ledger, store, now - ledger.days * DAY_MS)
    }
  }
  return removed
}

async function sweepLedger({ table }: AuditLedger, store: Store, until: number): Promise<number> {
  const outdated: Condition = { op: 'lt', column: TIMESTAMP, value: new Date(until).toISOString() }
  const order = [{ column: TIMESTAMP, descending: false }]
  for (let removed = 0; ;) {
    const [last] = await store.select({
      table,
      columns: [TIMESTAMP],
      where: outdated,
      order,
      offset: SLICE - 1,
      limit: 1,
    })
    const bound = last?.[TIMESTAMP.name] ?? null
    const where: Condition = bound === null ? outdated : { op: 'lte', column: TIMESTAMP, value: bound }
    removed += await store.transaction((transaction) => transaction.remove({ table, where }))
    if (bound === null) return removed
  }
}
