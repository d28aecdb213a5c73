import type { Row } from '@svc/store/contract'
import type { Firing } from './firing.ts'

/** The message of a firing for whoever asked for the write: in their language, with what they may read. */
export function messageFor({ rule, context, change }: Firing): string {
  const { localizer } = rule.resource
  return rule.words.tell(context, localizer.locale(change.acceptLanguage))
}

/** The values beside the message, as far as whoever asked may read what they are made of. */
export const dataFor = ({ rule, context }: Firing): Row => rule.words.data(context)
