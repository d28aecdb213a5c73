import type { Value } from '@svc/store/contract'
import { placeOf } from '../channels/place-of.ts'
import type { NotificationDefinition } from '../definition.ts'

/**
 * A notification as answers show what a definition says: of a channel its type, and the origin and path of its url. Secrets,
 * headers and queries of urls stand in no answer.
 */
export const shownNotification = ({ channels, ...rest }: NotificationDefinition): Value =>
  JSON.parse(JSON.stringify({ channels: channels.map(shownChannel), ...rest })) as Value

function shownChannel(channel: NotificationDefinition['channels'][number]): Value {
  if (typeof channel === 'string') return channel
  const { type, url } = channel
  return { type, ...(url !== undefined && { url: placeOf(url) ?? withoutQuery(url) }) }
}

/** Of a text that is no url yet, since variables stand in it as they are written. */
const withoutQuery = (written: string): string => written.split(/[?#]/, 1)[0] ?? ''
