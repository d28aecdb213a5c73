import type { Call } from '@svc/kernel'
import { type MediaItem, shown } from '../item.ts'
import type { Library } from '../setting.ts'

/** Tells the bus what has become of an item, once that is committed. */
export function tell(
  { bus, domain, answers }: Pick<Library, 'bus' | 'domain' | 'answers'>,
  action: 'uploaded' | 'deleted',
  item: MediaItem,
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
): void {
  bus.emit(`svc.${domain}.media.${action}`, {
    id: item.id,
    domain,
    action,
    item: shown(item),
    actor: { id: caller.id, username: caller.username },
    at: new Date(answers.env.now()).toISOString(),
    requestId,
  })
}
