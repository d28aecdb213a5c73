import type { Domains } from '@svc/domain/contract'
import { type Context, defineAction, repeat } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { auditBlock } from './audit/block.ts'
import { sweepAudit } from './audit/sweep.ts'
import { historyBlock } from './block.ts'

/** How often outdated audit entries are looked for, in milliseconds. */
const SWEEP_PERIOD_MS = 3_600_000

/** Adds the keys of the three ledgers to the language, and takes old entries away from time to time. */
export function startHistory({
  domains,
  store,
  env,
  log,
  actions,
  onOpen,
}: Context & { readonly domains: Domains; readonly store: Store }): void {
  const sweep = async () => {
    const removed = await sweepAudit(domains.list(), store, env.now())
    if (removed > 0) log.info({ removed }, 'history.swept')
    return { removed }
  }
  domains.block(auditBlock)
  domains.block(historyBlock)
  actions.add(
    defineAction({
      name: 'history.sweep',
      summary: 'Remove audit entries that are older than their resource keeps them',
      access: [],
      handle: sweep,
    }),
  )
  onOpen(() =>
    repeat(sweep, {
      everyMs: SWEEP_PERIOD_MS,
      log,
      failure: 'history.sweep_failed',
    }),
  )
}
