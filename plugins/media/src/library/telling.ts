import type { Bus, Call, Environment } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import { type MediaItem, shown } from '../item.ts'

/** On whose behalf something becomes of items. */
export type By = Pick<Call, 'caller' | 'requestId'>

/** What tells of items. */
export interface Telling {
  readonly bus: Bus
  readonly env: Environment
}

/** Tells the bus what has become of an item, once that is committed. */
export function tell(
  { bus, env }: Telling,
  action: 'uploaded' | 'deleted',
  item: MediaItem,
  transaction: Transaction,
  { caller, requestId }: By,
): void {
  const { id, domain } = item
  const event = {
    id,
    domain,
    action,
    item: shown(item),
    actor: { id: caller.id, username: caller.username },
    at: new Date(env.now()).toISOString(),
    requestId,
  }
  transaction.afterCommit(() => bus.emit(`svc.${domain}.media.${action}`, event))
}
