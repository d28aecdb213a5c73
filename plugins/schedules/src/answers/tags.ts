import { seesKnown } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Deed } from '../schedule.ts'
import type { Setting } from '../setting.ts'

/** Tells of which deeds a caller may be told the tags: what these are made of is the caller's to read. */
export const tagsSeenBy =
  ({ caller }: Call, { data }: Pick<Setting, 'data'>) =>
  ({ tag }: Pick<Deed, 'tag'>): boolean =>
    seesKnown(tag.made, (resource) => data.access(resource, caller))
