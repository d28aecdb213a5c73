import type { Resource, Speech } from '@svc/domain/contract'
import type { Kind } from '@svc/expression/contract'

/** Names after `$` that everything of a schedule may use. */
const OCCURRENCE: readonly (readonly [string, Kind])[] = [
  ['occurrence', 'datetime'],
  ['nextOccurrence', 'datetime'],
  ['currentQuarter', 'number'],
  ['currentYear', 'number'],
]
/** Those of a batch besides. */
const BATCH: readonly (readonly [string, Kind])[] = [
  ['records', 'list'],
  ['count', 'number'],
]

/** What values and texts of a schedule may name. */
export const speechOf = (resource: Resource | undefined, batched: boolean): Speech => ({
  moment: 'read',
  variables: new Map([...OCCURRENCE, ...(batched ? BATCH : [])]),
  ...(resource && { resource }),
})
