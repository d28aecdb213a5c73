import { sweepLedger } from '@svc/automation/contract'
import type { Model } from '@svc/domain/contract'
import type { Store } from '@svc/store/contract'
import { ENTRY, RAISED, tablesOf } from './tables.ts'

/** Removes messages that ended before their days ran out, and what they were raised with once no message is left of it. */
export async function sweepMessages(
  domain: string,
  days: number,
  store: Store,
  now: number,
): Promise<number> {
  const { entries, raised } = tablesOf(domain)
  const removed = await sweepLedger({ table: entries, endedAt: ENTRY.endedAt, days }, store, now)
  await sweepLedger(
    {
      table: raised,
      endedAt: RAISED.at,
      days,
      where: {
        op: 'not',
        of: { op: 'exists', table: entries, on: [[ENTRY.raised, RAISED.id]], where: { op: 'always' } },
      },
    },
    store,
    now,
  )
  return removed
}

/** The domains that have messages, or had some: their tables outlive the definition that wanted them. */
export async function domainsWithMessages(
  models: readonly Model[],
  store: Store,
): Promise<readonly string[]> {
  const { tables } = await store.catalog()
  const present = new Set(tables.map(({ name }) => name))
  return models.map(({ name }) => name).filter((name) => present.has(tablesOf(name).entries.name))
}
